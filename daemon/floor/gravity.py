"""Whether an alert is still what somebody had before him: what an act about it stands on.

As at the table an acknowledgement falls away when the alert gets graver, and steps that tick, a
window that shuts, or repeats leave it, so an act that waits to be sent is sent for what the alert
has become, unless that is graver or otherwise than its author saw it. That he has acknowledged it
himself meanwhile is no news to him.
"""

from __future__ import annotations

from daemon.floor import forms
from daemon.floor.acts import Gravity
from daemon.floor.views import Payload

SEVERITIES = ("low", "medium", "high", "critical")


def gravity(alert: Payload) -> Gravity:
    """What of this alert counts."""
    severity = forms.words(alert, "severity")
    return (
        SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES),
        forms.words(alert, "state"),
        forms.words(alert, "audience"),
        forms.who(alert, "acknowledged"),
        alert.get("shelved") is not None,
    )


def is_still(before: Gravity, alert: Payload, by: str) -> bool:
    """Whether somebody of this name who saw the alert like `before` may mean it as it is now."""
    if not before:
        return False
    severity, state, audience, acknowledged, is_shelved = gravity(alert)
    if before[3] is None and isinstance(acknowledged, tuple) and acknowledged[0] == by:
        acknowledged = None
    alike = before[1:] == (state, audience, acknowledged, is_shelved)
    return alike and int(str(severity)) <= int(str(before[0]))
