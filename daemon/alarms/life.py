"""An irregularity's life: held back, raised, lowered, put right, taken over, final."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from daemon.course.course import Course
from daemon.rules.naming import Irregularity
from daemon.rules.parameters import Parameters
from daemon.table import places

# A misdeal declared by the dealer in time eases these (rules.md 2.2).
_EASED = frozenset({"deal-wrong-first-seat"})
# A doubt that leaves the alert with the floor all the same (formats: parameters).
_STAYS_WITH_FLOOR = frozenset({"acts-disagree", "ground-unseen"})


class Life(Struct, frozen=True, kw_only=True):
    """How one irregularity stands.

    `state` is held (it may still be put right), waiting (it may yet turn out to be nothing), raised
    or withdrawn. `until_ms` is when a held or waiting one is decided; `eased_until_ms` until when
    the first, lower severity holds. `shown` are the cards that were named once.
    """

    what: Irregularity
    name: str
    state: str
    known_ms: int
    severity: str
    audience: str
    doubt: str = ""
    until_ms: int | None = None
    eased_until_ms: int | None = None
    eased: bool = False
    self_corrected: bool = False
    superseded_by: int = 0
    final: bool = False
    window_open: bool | None = True
    after: bool = False
    shown: tuple[str, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether people know of it."""
        return self.state in ("raised", "withdrawn")


def born(what: Irregularity, name: str, known_ms: int, house: Parameters) -> Life:
    """A new irregularity, raised at once or held while it may still be put right."""
    ruling = what.ruling
    grace_ms = ruling.grace_ms
    if grace_ms is None:
        grace_ms = round(house.self_correction_s * 1000)
    held = bool(what.home) and not what.face_seen and grace_ms > 0
    if ruling.audience == "log" and not what.remedy:
        held = False
    waiting = bool(what.waits)
    until_ms = _waits_until_ms(what, house) if waiting else what.at_ms + grace_ms if held else None
    life = Life(
        what=what,
        name=name,
        state="waiting" if waiting else "held" if held else "raised",
        known_ms=known_ms,
        severity=what.severity,
        audience=_audience(what, house),
        doubt=what.doubt,
        until_ms=until_ms,
        window_open=what.window_open,
        after=what.window_open is False,
    )
    return _first_severity(life, house)


def _audience(what: Irregularity, house: Parameters) -> str:
    if what.ruling.shadow:
        return "log"
    doubtful = what.doubt and what.doubt not in _STAYS_WITH_FLOOR
    return house.doubt_audience if doubtful and what.audience == "floor" else what.audience


def _waits_until_ms(what: Irregularity, house: Parameters) -> int | None:
    """When waiting ends by the mere passing of time; the rest waits for an act or a draw."""
    wait_s = {"gone": house.self_correction_s, "sweep": house.sweep_s}.get(what.waits)
    return None if wait_s is None else what.at_ms + round(wait_s * 1000)


def _first_severity(life: Life, house: Parameters) -> Life:
    ruling = life.what.ruling
    if life.doubt == "window-unknown":
        return replace(life, severity="medium")
    if life.after:
        return replace(life, severity=ruling.after_severity or ruling.severity)
    if ruling.first_severity is None:
        return life
    until_ms = life.what.at_ms + round(house.misdeal_s * 1000)
    return replace(life, severity=ruling.first_severity, eased_until_ms=until_ms, eased=True)


def deadline_ms(life: Life) -> int | None:
    """When this irregularity changes by the mere passing of time."""
    if life.final or life.state == "withdrawn":
        return None
    if life.until_ms is not None:
        return life.until_ms
    return life.eased_until_ms if life.eased else None


def decided(life: Life, known_ms: int) -> Life:
    """It was not put right: people must know."""
    return replace(life, state="raised", known_ms=known_ms, until_ms=None)


def put_right(life: Life, known_ms: int) -> Life:
    """The dealer put it right himself in time: for the log, and no misdeal any more."""
    what = life.what
    if what.is_misdeal:
        what = replace(what, remedy=())
    return replace(
        life,
        what=what,
        state="raised",
        known_ms=known_ms,
        until_ms=None,
        severity="low",
        audience="log",
        self_corrected=True,
        eased=False,
    )


def is_put_right(life: Life, course: Course) -> bool:
    """Whether all cards of the fault lie where they belong."""
    lies, home = course.felt.lies, life.what.home
    return bool(home) and all(lies.get(card, places.STUB) in home for card in life.what.cards)


def hardened(life: Life) -> Life:
    """Dealing or action went on, or the dealer's time is over: the full severity holds."""
    return replace(life, severity=life.what.ruling.severity, eased=False)


def misdeal_declared(life: Life, at_ms: int, house: Parameters) -> Life:
    """The dealer declared the misdeal himself: what was eased stays so."""
    if not life.what.is_misdeal or life.state != "raised" or life.final:
        return life
    in_time = at_ms <= life.what.at_ms + round(house.misdeal_s * 1000)
    if life.what.id in _EASED and in_time:
        return replace(life, severity="medium")
    return replace(life, eased=False)


def corroborated(life: Life, what: Irregularity, house: Parameters) -> Life:
    """The doubt is gone: the same alert at full severity, where it belongs."""
    first = life.what
    kept = replace(
        what,
        ticket=first.ticket,
        street=first.street,
        at_ms=first.at_ms,
        window_open=life.window_open,
    )
    fresh = born(kept, life.name, life.known_ms, house)
    return replace(fresh, state="raised", until_ms=None, shown=life.shown)


def repeated(life: Life, what: Irregularity) -> Life:
    """The same fault once more: only more evidence, unless it is graver now."""
    known = replace(life.what, numbers=what.numbers)
    if what.severity == known.severity:
        return replace(life, what=known)
    known = replace(known, severity=what.severity, seats=what.seats)
    return replace(life, what=known, severity=what.severity, audience=what.audience)


def too_late(life: Life, *, begun: bool) -> Life:
    """Substantial action shut a misdeal's window: the ruling is the one that applies after it.

    What was `begun` of the misdeal is told as it stands.
    """
    ruling, shut = life.what.ruling, replace(life, window_open=False)
    if begun:
        return shut
    what = replace(life.what, remedy=ruling.after_remedy or ())
    return replace(shut, what=what, severity=ruling.after_severity or life.severity, after=True)


def ended(life: Life) -> Life:
    """The hand is over: nothing changes it any more."""
    shut = life.what.ruling.window == "until-hand-over"
    return replace(life, final=True, eased=False, window_open=False if shut else life.window_open)


def taken_over(life: Life, by: int) -> Life:
    """A graver irregularity says it all."""
    return replace(life, state="withdrawn", superseded_by=by, eased=False, until_ms=None)
