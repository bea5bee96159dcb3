"""The steps from each version of the history's tables to the next."""
