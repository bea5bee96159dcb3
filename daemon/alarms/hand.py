"""One hand under judgement: its course, and the irregularities found in it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from daemon.alarms import cards, growing, kin, overruled, waiting
from daemon.alarms import life as living
from daemon.alarms.life import Life
from daemon.course import early, edits, moves, plan, scraps, skips, streets
from daemon.course.carried import landed
from daemon.course.course import Course, Departure, substantial
from daemon.course.follow import follow
from daemon.rules.house import house_of
from daemon.rules.naming import (
    LEAVES,
    STAYS,
    TAKES_OVER,
    Irregularity,
    judge,
    window_open,
)
from daemon.rules.rulebook import Rulebook
from daemon.table import places
from daemon.table.events import (
    CardIdentified,
    CardMoved,
    CardsCollected,
    DealingEvent,
    DeckShuffled,
    FloorRuled,
    HandEnded,
    MisdealDeclared,
)

# (deal, irregularity, subject, n) -> the alert's id
Naming = Callable[[int, str, str, int], str]

_DECIDING = (HandEnded, MisdealDeclared, CardsCollected, DeckShuffled)


class Hand:
    """A hand in progress. `lives` are its irregularities by ticket, in order of raising."""

    def __init__(self, course: Course, book: Rulebook, naming: Naming) -> None:
        self.course = course
        self.lives: dict[int, Life] = {}
        self._book = book
        self._naming = naming
        self._tickets = 0
        self._drawn_by: list[int] = []
        self._now_ms = 0
        self._house = house_of(book.parameters)
        self._public_ms = round(book.parameters.board_public_s * 1000)

    def step(self, event: DealingEvent, number: int, now_ms: int = 0) -> None:
        """Take one event: decide what it decides, follow it, judge what departs, amend the plan.

        `now_ms` is when it became known, where that is later than it happened.
        """
        self._now_ms = max(event.at_ms, now_ms)
        if isinstance(event, FloorRuled) and event.alert:
            self.course, self.lives = overruled.without(self.course, self.lives, event)
            return
        if self.course.strayed is not None:
            before = self.course  # whether a draw strayed from the deal or ended it
            self.course, event, departures = landed(before, event, self._house)
            for departure in departures:
                self._judge(departure, before)
        if self.lives:
            self._decide(event)
        before = self.course
        self.course, departures = follow(before, event, number, self._house)
        if isinstance(event, CardIdentified):
            self._rename(event.card, event.identity)
        while self._drawn_by:
            self.course = self._amended(self.lives[self._drawn_by.pop()].what)
        if before.joining and not self.course.joining:
            self._part_of_flop(before)
        for departure in departures:
            self._judge(departure, before)
        if self.lives:
            if self.course.shuffles != before.shuffles:
                lies = self.course.felt.lies
                self.lives = {n: cards.buried(life, lies) for n, life in self.lives.items()}
            self._settle(event)
        if isinstance(event, HandEnded):
            self._end()

    def deadline_ms(self) -> int | None:
        """When something changes by the mere passing of time, or None."""
        due = [ms for life in self.lives.values() if (ms := living.deadline_ms(life)) is not None]
        due += waiting.deadlines_ms(self.course, self._house, self._public_ms)
        return max(min(due), self._now_ms) if due else None  # what is found late is due at once

    def pass_time(self, at_ms: int) -> None:
        """The deadline `at_ms` has passed."""
        self.course = waiting.passed(self.course, self._house, self._public_ms, at_ms)
        for ticket, life in list(self.lives.items()):
            due = living.deadline_ms(life)
            if due is None or due > at_ms:
                continue
            if life.until_ms is not None:
                self._raise(ticket, life, at_ms)
            else:
                self.lives[ticket] = living.hardened(life)
        self._shut_windows()
        self.course = waiting.settled(self.course)

    def name_anew(self, deal: int, irregularity: str, subject: str) -> str:
        """A name for an alert whose first one was withdrawn for good."""
        return self._naming(deal, irregularity, subject, 2)

    def show_cards(self) -> None:
        """Name the cards that are public now; a name once told stays told (design.md 7)."""
        public = self.course.public
        self.lives = {n: cards.shown(life, public) for n, life in self.lives.items()}

    def _rename(self, old: str, new: str) -> None:
        self.lives = {n: cards.renamed(life, old, new) for n, life in self.lives.items()}

    # -- before an event ---------------------------------------------------------------------

    def _decide(self, event: DealingEvent) -> None:
        """The next due step decides what is held; dealing or action going on ends the easing."""
        drawn = dealt = False
        scrap = isinstance(event, CardMoved) and event.card in self.course.scraps
        if isinstance(event, CardMoved) and event.source == places.STUB and not scrap:
            drawn, dealt = True, kin.is_next_step(self.course, event.to)
        goes_on = drawn or kin.is_act(event, self.course)
        for ticket, life in list(self.lives.items()):
            if life.state == "held" and dealt and kin.is_passing_over(life, self.course, event):
                del self.lives[ticket]
                continue
            decides = dealt or isinstance(event, _DECIDING) or (goes_on and kin.is_boxed(life.what))
            if life.state == "held" and decides:
                self._raise(ticket, life, event.at_ms)
            elif life.state == "waiting":
                self._await(ticket, life, event, drawn=drawn)
                if ticket not in self.lives:
                    continue
            now = self.lives[ticket]
            if now.eased and goes_on and now.state == "raised":
                self.lives[ticket] = living.hardened(now)
            elif isinstance(event, MisdealDeclared | CardsCollected):
                self.lives[ticket] = living.misdeal_declared(
                    now, event.at_ms, self._book.parameters
                )
        offered = self.course.offered
        if offered and isinstance(event, MisdealDeclared | CardsCollected) and not self.course.over:
            self.course = replace(self._amended(self.lives[offered].what), offered=0)

    def _await(self, ticket: int, life: Life, event: DealingEvent, *, drawn: bool) -> None:
        """An act, a burn or a draw decides what waited for it; a shuffle before it undoes it."""
        if kin.is_decided(life.what, event, self.course, drawn=drawn):
            self._raise(ticket, life, event.at_ms)
        elif life.what.waits == "draw" and kin.is_undone(life.what, event):
            del self.lives[ticket]

    def _raise(self, ticket: int, life: Life, at_ms: int) -> None:
        """It was held or waited for, and now it stands."""
        course = self.course
        if life.state == "waiting" and kin.is_moot(life, course):
            del self.lives[ticket]
            return
        self.lives[ticket] = living.decided(life, at_ms)
        self._take_over(life.what)
        self.course = plan.mark(self.course, life.what.wrong, "wrong")
        if life.what.waits == "draw" and life.state == "waiting":
            self._drawn_by.append(ticket)  # its remedy begins after the draw that decided it
        elif kin.begins(life):
            self.course = self._amended(life.what)
        if life.what.id == "board-from-muck":
            self.course = streets.fill(self.course, life.what.cards[0])

    # -- a departure -------------------------------------------------------------------------

    def _judge(self, departure: Departure, before: Course) -> None:
        if self.course.felt.state != "open":
            return
        if departure.due == "joins":
            self._join(departure, before)
            return
        if departure.due in ("covered", "rebuilt"):
            self._rule_anew(departure.ticket, departure.facts)
            self.course = plan.ticked(self.course, *departure.done)
            return
        if departure.due == "run-out" and departure.ticket:
            first = self.lives[departure.ticket].what
            if growing.is_no_more(departure, first):
                self._join(departure, before)
                return
            departure = growing.whole_run(departure, first)
        if departure.due == "unfounded" and any(
            life.doubt and life.what.deal == before.deal for life in self.lives.values()
        ):
            return
        what = judge(departure, before, self._book, self._tickets + 1)
        if what is None or kin.switches(departure, self.lives):
            return
        parent = self.lives.get(what.parent)
        if parent is not None and parent.state == "held":
            self._raise(parent.what.ticket, parent, self._now_ms)
        what = self._about(what)
        known = kin.known(what, self.lives, self.course)
        if known is not None:
            self._again(known, what, departure)
            return
        self._tickets += 1
        name = self._naming(what.deal, what.id, what.subject, kin.ordinal(what, self.lives))
        life = living.born(what, name, self._now_ms, self._book.parameters)
        in_remedy = what.id.startswith("remedy-")
        if parent is not None and parent.self_corrected and in_remedy:
            life = replace(life, severity="low", audience="log")
        self.lives[what.ticket] = life
        self._apply(life, departure)

    def _about(self, what: Irregularity) -> Irregularity:
        """A fault in a remedy is about what its parent is about."""
        if what.subject:
            return what
        parent = self.lives.get(what.parent)
        return replace(what, subject=parent.what.subject if parent else "deal")

    def _again(self, known: Life, what: Irregularity, departure: Departure) -> None:
        """The same fault once more: the doubt is gone, or there is only more evidence."""
        ticket = known.what.ticket
        numbers = kin.evidence(known.what.numbers, what.numbers)
        what = replace(what, ticket=ticket, numbers=numbers)
        if known.doubt and not what.doubt:
            life = living.corroborated(known, what, self._book.parameters)
            self.lives[ticket] = life
            self._apply(life, departure)
            return
        if known.state == "waiting" and what.home != known.what.home:
            self._raise(ticket, known, self._now_ms)
            known = self.lives.get(ticket, known)
        self.lives[ticket] = living.repeated(known, what)
        self.course = plan.mark(self.course, departure.wrong, "wrong")

    def _take_over(self, what: Irregularity) -> None:
        for ticket, life in list(self.lives.items()):
            lesser = life.what
            if lesser.id not in TAKES_OVER.get(what.id, ()) or lesser.deal != what.deal:
                continue
            if life.final or life.state == "withdrawn" or life.self_corrected:
                continue
            if kin.is_finished(life, self.course) and lesser.numbers != what.numbers:
                continue
            if not kin.says_the_same(what, lesser):
                continue
            self.course = plan.drop(self.course, ticket)
            graver = self.lives[what.ticket]
            numbers = kin.evidence(lesser.numbers, graver.what.numbers)
            graver_what = replace(graver.what, numbers=numbers)
            if what.id.startswith("deal-multiple-"):  # it is about all of them
                seats = tuple(dict.fromkeys(lesser.seats + what.seats))
                cards = tuple(dict.fromkeys(lesser.cards + what.cards))
                graver_what = replace(graver_what, seats=seats, cards=cards)
            self.lives[what.ticket] = replace(graver, what=graver_what)
            if life.is_told:
                self.lives[ticket] = living.taken_over(life, what.ticket)
            else:
                del self.lives[ticket]

    def _apply(self, life: Life, departure: Departure) -> None:
        """What the irregularity makes of the course."""
        what = life.what
        doubtful = kin.is_doubtful(life)
        if departure.back is not None and not doubtful:
            self.course = skips.rewind(self.course, departure)
        if life.state == "raised":
            self._take_over(what)
            self.course = plan.mark(self.course, what.wrong, "wrong")
        if what.id == "premature-acted-on":
            self.course = early.adrift(self.course, what.cards)
        deferred = life.state == "waiting" or (life.state == "held" and what.is_misdeal)
        if what.remedy and not doubtful and not deferred:
            offered = replace(self.course, offered=what.ticket)  # to be taken or left
            self.course = offered if kin.is_offer(life) else self._amended(what)
            self.course = plan.ticked(self.course, *departure.done)
        grows = departure.due != "less" and (not doubtful or self.course.dealing is not None)
        if departure.what == "board" and not departure.ticket and grows:
            self.course = replace(self.course, joining=what.ticket)
        if "deck-change" in what.remedy and not doubtful:
            self.course = replace(self.course, void=True)
        self.course = kin.with_deck_at_fault(self.course, what)
        if what.id in LEAVES and departure.due not in STAYS:
            self.course = replace(self.course, mute="left")

    def _amended(self, what: Irregularity) -> Course:
        course = self.course
        if what.id == "board-card-withdrawn" and what.facts:
            course = moves.take_back(course, what.subject)
        if "scrap" in what.remedy:
            course = scraps.taken_out(course, what.cards)
        cards = tuple(card for card in what.cards if card not in what.burns)
        about = edits.About(cards, what.burns, what.seat)
        return edits.amend(course, what.ticket, what.remedy, about)

    def _rule_anew(self, ticket: int, facts: frozenset[str]) -> None:
        """A fact that came later brings another ruling; what was done of the old one is done."""
        life = self.lives.get(ticket)
        if life is None or life.final:
            return
        what = life.what
        facts |= what.facts
        what = kin.ruled_anew(what, self._book, facts, late=life.window_open is False)
        self.lives[ticket] = replace(life, what=what)
        self.course = plan.drop(self.course, ticket)
        self.course = self._amended(what)

    def _join(self, departure: Departure, before: Course) -> None:
        life = self.lives.get(departure.ticket)
        if life is None:
            return
        what = life.what
        cards = tuple(card for card in departure.cards if card not in what.cards)
        numbers = kin.evidence(what.numbers, departure.numbers)
        what = replace(what, cards=what.cards + cards, numbers=numbers)
        self.lives[departure.ticket] = replace(life, what=what)
        self.course = edits.join(self.course, departure.ticket, cards)
        if (many := growing.many(departure, what)) is not None:
            self._judge(many, before)

    def _part_of_flop(self, before: Course) -> None:
        """A premature flop of one or two cards: the next event that is no board card says so."""
        life = self.lives.get(before.joining)
        if life is not None and (partial := growing.part_of_flop(life)) is not None:
            self._judge(partial, before)

    # -- after an event ----------------------------------------------------------------------

    def _settle(self, event: DealingEvent) -> None:
        for ticket, life in list(self.lives.items()):
            open_still = life.state in ("held", "waiting")
            if open_still and living.is_put_right(life, self.course):
                if life.state == "waiting":
                    del self.lives[ticket]
                else:
                    self.lives[ticket] = living.put_right(life, event.at_ms)
        self._shut_misdeal()
        self._shut_windows()

    def _shut_misdeal(self) -> None:
        """A misdeal that was played on, or that substantial action shut, is final at once."""
        course = self.course
        if not (course.misdeal or course.offered or course.mute):
            return
        late = substantial(course, self._house.substantial_action)
        if course.mute == "misdeal" and late and not course.void:
            course = replace(course, mute="late")
        played_on = course.mute in ("late", "left") and not course.void
        offer_over = bool(course.offered) and (late or course.burned or course.board)
        for ticket, life in list(self.lives.items()):
            redealt = life.what.is_misdeal and life.what.deal == course.deal
            due = course.misdeal > 0 and redealt and ticket in course.remedies
            mine = (due and played_on) or (ticket == course.offered and offer_over)
            if mine and life.state == "raised":
                begun = "done" in course.marks.get(ticket, ())
                ruled = living.too_late(life, begun=begun) if late else life
                self.lives[ticket] = replace(ruled, final=True, eased=False)
                course = plan.drop(course, ticket)  # its steps stay as they are
        self.course = replace(course, offered=0) if offer_over else course

    def _shut_windows(self) -> None:
        for ticket, life in list(self.lives.items()):
            if life.state == "raised" and not life.final:
                self._window(ticket, life)

    def _window(self, ticket: int, life: Life) -> None:
        what = life.what
        if life.window_open is False or what.deal != self.course.deal:
            return
        about = (what.subject, what.seat)
        is_open = window_open(what.ruling.window, self.course, self._book, about)
        if is_open == life.window_open:
            return
        life = replace(life, window_open=is_open)
        self.lives[ticket] = life
        after = what.ruling.after_remedy
        marks = self.course.marks.get(ticket, ())
        if is_open is not False or after is None or life.self_corrected:
            return
        if what.is_misdeal or "open" not in marks or "done" in marks or self.course.pushed:
            return
        what = replace(what, remedy=after)
        severity = what.ruling.after_severity or life.severity
        self.lives[ticket] = replace(life, what=what, severity=severity, after=True)
        self.course = edits.stands(self.course, ticket)
        self.course = self._amended(what)

    def _end(self) -> None:
        for ticket, life in list(self.lives.items()):
            if life.state == "waiting":
                del self.lives[ticket]
            else:
                self.lives[ticket] = living.ended(life)
