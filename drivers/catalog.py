"""Every device floorcall can read, one row each."""

from __future__ import annotations

from drivers import (
    bridge,
    camera,
    csl1,
    eccel,
    feig,
    feig_buffer,
    feig_notify,
    keypad,
    llrp,
    pn532,
    rdm6300,
    uid_line,
    wedge,
)
from drivers.driver import Driver

DRIVERS: tuple[Driver, ...] = (
    csl1.DRIVER,
    keypad.DRIVER,
    pn532.DRIVER,
    feig.DRIVER,
    feig_buffer.DRIVER,
    feig_buffer.PLAIN_DRIVER,
    feig_notify.DRIVER,
    feig_notify.PLAIN_DRIVER,
    eccel.DRIVER,
    eccel.ICODE,
    bridge.DRIVER,
    bridge.BEATING,
    uid_line.DRIVER,
    uid_line.FAST,
    uid_line.FEIG_SCAN,
    rdm6300.DRIVER,
    llrp.DRIVER,
    llrp.ASKED_DRIVER,
    wedge.CARD_DRIVER,
    wedge.KEYS_DRIVER,
    wedge.TAG_DRIVER,
    camera.DRIVER,
)
