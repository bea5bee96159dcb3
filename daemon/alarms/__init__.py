"""What the floor sees: identity, states, texts."""
