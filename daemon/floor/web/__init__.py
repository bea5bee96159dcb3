"""The floor's screens over HTTP: one table of routes, one gate before all of them."""
