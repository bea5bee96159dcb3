"""The device's side of each protocol, for the demo and the hardware-in-loop tests."""
