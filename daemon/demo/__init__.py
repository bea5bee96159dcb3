"""A simulated evening: dealer, mischief, devices on ptys, an embedded broker."""
