"""floorcall: watches a Texas Hold'em deal and calls the floor the moment it goes wrong."""

__version__ = "0.1.0"
