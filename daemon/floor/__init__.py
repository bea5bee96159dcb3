"""The floor's side: watches all tables of a site over MQTT, and serves the floor's screens."""
