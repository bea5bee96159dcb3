"""What is wrong with a table, and what to do: small probes that all run at the same time."""
