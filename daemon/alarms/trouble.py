"""Trouble with the sensors: one alert for the table, however many there are."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from daemon.alarms.alert import Alert, Text, Window
from daemon.alarms.carried import Told, Troubled
from daemon.alarms.compare import Desk
from daemon.alarms.identity import alert_id, wall_clock
from daemon.rules.rulebook import Ruling
from daemon.table.events import DealingEvent, HandEnded, HandStarted, SensorBack, SensorLost
from daemon.table.figures import SEATS
from daemon.table.layout import Layout, at_seats

NO_HAND = "-"
_SILENT = Ruling(
    id="sensor-silent",
    severity="high",
    audience="maintenance",
    window="unlimited",
    cite="",
    remedy=(),
)
_DOUBT = replace(_SILENT, id="sensor-doubt", severity="medium")


@dataclass(slots=True)
class _Fit:
    """One sensor, or all those at seats: who could tell these apart knows who lifts his cards.

    `gone` are those of it that are lost now, `told` that people know it as lost. Since
    `changed_ms` it is otherwise than told (None: it is as told).
    """

    gone: set[str]
    told: bool = False
    changed_ms: int | None = None


class Trouble:
    """Alerts `sensor-silent` and `sensor-doubt` of one table, judged like any other.

    A sensor is told as lost once it has been for `grace_s`, and as back after as long, so that a
    cable that wags makes one alert or none. Doubts change at hand ends only. `due_ms` is when
    something changes by the mere passing of time, None for never.
    """

    def __init__(self, layout: Layout, desk: Desk, grace_s: float) -> None:
        self.due_ms: int | None = None
        self._desk = desk
        self._grace_ms = round(grace_s * 1000)
        self._key = {
            sensor.name: SEATS if at_seats(sensor) else sensor.name for sensor in layout.sensors
        }
        self._fits = {key: _Fit(set()) for key in self._key.values()}
        self._now: dict[str, Alert] = {}  # what is raised, by irregularity
        self._raised: dict[str, int] = {}  # how often it was

    def take(self, event: DealingEvent, doubts: tuple[str, ...]) -> list[Alert]:
        """What the event says of the sensors; `doubts` as they are after it."""
        match event:
            case SensorLost(sensor=str(sensor)) if sensor in self._key:
                fit = self._fits[self._key[sensor]]
                fit.gone.add(sensor)
                self._note(fit, event.at_ms)
            case SensorBack(sensor=str(sensor)) if sensor in self._key:
                fit = self._fits[self._key[sensor]]
                fit.gone.discard(sensor)
                self._note(fit, event.at_ms)
            case HandStarted() | HandEnded():
                return self._told(_DOUBT, len(doubts), event.at_ms, event.at_ms)
            case _:
                pass
        return []

    def pass_time(self, to_ms: int) -> list[Alert]:
        """Let the deadlines before `to_ms` pass."""
        alerts: list[Alert] = []
        while (due_ms := self.due_ms) is not None and due_ms < to_ms:
            for fit in self._fits.values():
                if fit.changed_ms == due_ms - self._grace_ms:
                    fit.told, fit.changed_ms = bool(fit.gone), None
            self._set_due()
            lost = sum(fit.told for fit in self._fits.values())
            alerts += self._told(_SILENT, lost, due_ms - self._grace_ms, due_ms)
        return alerts

    def carried(self) -> Troubled:
        """What one made anew must know."""
        fits = {
            key: Told(tuple(sorted(fit.gone)), fit.told, fit.changed_ms)
            for key, fit in self._fits.items()
        }
        return Troubled(fits, dict(self._now), dict(self._raised))

    def go_on(self, carried: Troubled) -> None:
        """Go on from there."""
        for key, fit in carried.fits.items():
            self._fits[key] = _Fit(set(fit.gone), fit.told, fit.changed_ms)
        self._now, self._raised = dict(carried.now), dict(carried.raised)
        self._set_due()

    def _note(self, fit: _Fit, at_ms: int) -> None:
        if fit.changed_ms is None and bool(fit.gone) != fit.told:
            fit.changed_ms = at_ms
        self._set_due()

    def _set_due(self) -> None:
        since = [fit.changed_ms for fit in self._fits.values() if fit.changed_ms is not None]
        self.due_ms = min(since) + self._grace_ms if since else None

    def _told(self, ruling: Ruling, count: int, at_ms: int, known_ms: int) -> list[Alert]:
        """The one alert of this kind, raised, counted anew or done with; none without news."""
        before = self._now.get(ruling.id)
        if before is None:
            if not count:
                return []
            now = self._fresh(ruling, count, at_ms, known_ms)
        elif count:
            now = replace(before, count=count)
        else:
            now = replace(before, state="remedied", final=True)
        if now == before:
            return []
        now = replace(now, revision=now.revision + 1)
        if count:
            self._now[ruling.id] = now
        else:
            del self._now[ruling.id]
        return [now]

    def _fresh(self, ruling: Ruling, count: int, at_ms: int, known_ms: int) -> Alert:
        desk = self._desk
        number = self._raised[ruling.id] = self._raised.get(ruling.id, 0) + 1
        texts = {language: desk.texts.text(language, ruling) for language in desk.languages}
        return Alert(
            id=alert_id((desk.table, desk.journal, NO_HAND), 0, (ruling.id, "table"), number),
            revision=0,
            table=desk.table,
            hand=NO_HAND,
            irregularity=ruling.id,
            state="raised",
            final=False,
            seen=ruling is not _SILENT,
            severity=ruling.severity,
            audience=ruling.audience,
            street="deck",
            subject="table",
            seats=(),
            cards=(),
            at_ms=at_ms,
            known_ms=known_ms,
            at=wall_clock(desk.opened, at_ms),
            rulebook=desk.rulebook,
            cite=ruling.cite,
            unconfirmed=False,
            window=Window(ruling.window, open=True),
            remedy=(),
            text={language: Text(*text) for language, text in texts.items()},
            evidence=(),
            count=count,
        )
