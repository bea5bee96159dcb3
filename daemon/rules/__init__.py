"""What it is called and what the book says: rulebook, catalogue, naming."""
