"""Every device floorcall can read, one row each."""

from __future__ import annotations

from drivers import csl1, feig, keypad, pn532
from drivers.driver import Driver

DRIVERS: tuple[Driver, ...] = (
    csl1.DRIVER,
    keypad.DRIVER,
    pn532.DRIVER,
    feig.DRIVER,
)
