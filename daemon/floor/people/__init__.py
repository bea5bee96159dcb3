"""Who may be at a screen: people, their passwords, their sessions, how often they may try."""
