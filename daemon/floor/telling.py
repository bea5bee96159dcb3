"""What is news, told to every screen as its role may see it: one object for all of one role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from daemon.floor.acts import Acts
from daemon.floor.instant import Instant
from daemon.floor.listening import Listeners
from daemon.floor.reduced import audiences_of, told_chain, told_link, wall_key
from daemon.floor.showing import Showing
from daemon.floor.standing import Standing
from daemon.floor.views import Beat, News, Outcome, Person, Role, Snapshot

ALERTS_AT_ONCE = 20  # of one table between two `tables`: what is more waits for the next
HEAVY = 4096  # bytes that count as one alert more: a hundred screens are to read them
RENEW_S = 2.0  # everybody gets a new picture no more often than this
PICTURE_S = 1.0  # a picture in which nothing has changed serves for so long


class Telling:
    """Tells all screens; `snapshot` makes the whole picture for a role.

    A picture is kept for as long as whatever it lacks is still to be told behind it.
    """

    def __init__(
        self,
        showing: Showing,
        acts: Acts,
        snapshot: Callable[[Role], Snapshot],
        now: Callable[[], Instant],
    ) -> None:
        self.listeners = Listeners(self._picture)
        self._showing = showing
        self._acts = acts
        self._snapshot = snapshot
        self._now = now
        self._dirty: dict[tuple[str, str], set[str]] = {}
        self._pictures: dict[Role, tuple[float, News]] = {}
        self._told: Counter[str] = Counter()  # alerts of each table, since the last `tables`
        self._waiting: dict[str, Standing] = {}  # alerts of a table that changes more of them
        self._renewed_s: float | None = None
        self._is_renewal_due = False

    def renew(self) -> None:
        """Everybody gets a new picture: now, or when the last is no longer quite new."""
        self._pictures.clear()
        now_s = self._now().s
        self._is_renewal_due = self._renewed_s is not None and now_s - self._renewed_s < RENEW_S
        if not self._is_renewal_due:
            self._renewed_s = now_s
            self.listeners.renew()

    def outdated(self) -> None:
        """No picture that was made serves any more."""
        self._pictures.clear()

    def alert(self, key: str) -> None:
        """An alert is new, or not as it was, or stands no more: told at once.

        But a table that changes more of them than any table does waits: nobody else is to.
        """
        self._pictures.clear()
        standing = self._showing.find(key) or self._waiting.get(key)
        if standing is None:  # forgotten already: no role can be told without naming it
            self.renew()
            return
        table = key.rpartition("/")[0]
        if self._told[table] >= ALERTS_AT_ONCE:
            self._waiting[key] = standing
            return
        self._told[table] += 1 + standing.weight // HEAVY
        self._waiting.pop(key, None)
        self._tell(standing)

    def _tell(self, standing: Standing) -> None:
        for role in self.listeners.roles:
            news = self._alert(role, standing)
            self.listeners.tell(role, [] if news is None else [news])

    def act(self, author: Person, outcome: Outcome) -> None:
        """Who did what, to all who see the alert; and the alert, which says what is pending.

        A wall is told the alert only: no names.
        """
        standing = self._showing.find(outcome["key"])
        if standing is None:  # nobody sees it any more, and its author is to know all the same
            for each in self.listeners:
                is_his = each.person.login == author.login and each.role != "wall"
                each.tell([News("act", outcome)] if is_his else [])
            return
        self._pictures.clear()
        done = News("act", outcome)
        for role in self.listeners.roles:
            if standing.latest(audiences_of(role), stands=False) is None:
                continue
            view = self._showing.alert(role, standing, self._acts)
            told = [] if role == "wall" else [done]
            self.listeners.tell(role, told if view is None else [*told, News("alert", view)])

    def changed(self, site: str, table: str, fields: Iterable[str]) -> None:
        """These fields of a table have changed: told with the next `tables`."""
        self._dirty.setdefault((site, table), set()).update(fields)

    def tables(self) -> None:
        """What has changed of tables since this was told last, and the alerts that wait."""
        self._told.clear()
        if self._is_renewal_due:
            self.renew()
        waiting, self._waiting = self._waiting, {}
        for key, standing in waiting.items():
            if standing.under:
                self.alert(key)
            elif standing.is_shown:  # or nobody need hear that it is gone
                self._tell(standing)
        dirty, self._dirty = self._dirty, {}
        if not dirty:
            return
        self._pictures.clear()
        for role in self.listeners.roles:
            self.listeners.tell(role, [News("table", v) for v in self._showing.news(role, dirty)])

    def beat(self, beat: Beat) -> None:
        """The service's heartbeat."""
        for role in self.listeners.roles:
            link, chain = told_link(role, beat["link"]), told_chain(role, beat["chain"])
            self.listeners.tell(role, [News("beat", Beat(now=beat["now"], link=link, chain=chain))])

    def chain(self, number: int) -> list[str]:
        """The test alert of this number; the screens that are to answer for it.

        All hear it; but whether surveillance looks on is for nobody to know, so its screens are not
        among those that are named where they do not answer.
        """
        news = [News("chain", {"number": number})]
        asked = [each for each in self.listeners if not each.behind]
        for each in asked:
            each.tell(news)
        return [each.screen for each in asked if each.role != "surveillance"]

    def _alert(self, role: Role, standing: Standing) -> News | None:
        view = self._showing.alert(role, standing, self._acts)
        if view is not None:
            return News("alert", view)
        if standing.latest(audiences_of(role), stands=False) is None:
            return None
        key = wall_key(standing.key, self._showing.secret) if role == "wall" else standing.key
        return News("gone", {"key": key})

    def _picture(self, role: Role) -> News:
        now_s = self._now().s
        made_s, news = self._pictures.get(role, (0.0, None))
        if news is None or now_s - made_s > PICTURE_S:
            news = News("picture", self._snapshot(role))
            self._pictures[role] = (now_s, news)
        return news
