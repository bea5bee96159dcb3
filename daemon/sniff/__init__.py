"""A technician's ear on one port: readings as they come, with the errors among them."""
