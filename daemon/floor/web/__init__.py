"""The floor's screens: what a browser is served, and what it asks."""
