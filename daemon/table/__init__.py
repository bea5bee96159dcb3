"""What happened: cards, places, events, presence, the interpreter."""
