"""What is due: steps, plan, betting, departures."""
