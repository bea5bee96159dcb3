"""Enrolling a deck and checking one: cards laid on an antenna, what the operator says, answers."""
