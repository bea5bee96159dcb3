"""What is said and keyed: acts, the shuffle and the cut, exposures, floor keys, the showdown."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Course, Departure, forgotten
from daemon.course.moves import at_showdown, gave_up, running
from daemon.course.skips import Followed, corroborate, gravest, skipped, wrongs
from daemon.course.steps import Step
from daemon.table import places
from daemon.table.cards import is_known
from daemon.table.events import Acted, CardExposed, DeckShuffled, HandTabled
from daemon.table.ranking import strength

_CHIP_ACTS = frozenset({"call", "bet", "raise", "all-in"})
_BOARD_SIZE = 5


def acted(course: Course, event: Acted, number: int) -> Followed:
    """A seat acted: the round goes on, closes, or was not over when the street came."""
    course = shown_to_all(course)
    if event.action == "post":
        return replace(course, bets=betting.act(course.bets, event)), ()
    if course.pitched == 0 and not course.mute:
        course = plan.dealt(course)
    course, departures = _corroborated(course, event, number)
    if event.seat not in course.live:
        return course, departures
    stands = _stands_by_consent(course, event, number)
    course = replace(course, quiet=False, joining=0, acted_on_street=True)
    if event.action == "fold" and at_showdown(course):
        return gave_up(course, event.seat), departures + stands
    if betting.is_in_turn(course.bets, event):
        course = replace(
            course,
            acts_in_turn=course.acts_in_turn + 1,
            chips_in_turn=course.chips_in_turn + (event.action in _CHIP_ACTS),
        )
    course = replace(course, bets=betting.act(course.bets, event))
    if len(course.live) < 2 and not course.over:
        return plan.abandon(course), departures + stands
    return plan.settle(course), departures + stands


def _corroborated(course: Course, event: Acted, number: int) -> Followed:
    """An act that still belonged to the old round proves that a doubtful street came early."""
    suspect = course.suspect
    if suspect is None or course.mute:
        return course, ()
    opens = event.seat == suspect.first_due and not _answers_a_bet(course, event)
    if opens or suspect.departure.back is None:
        return replace(course, suspect=None), ()
    if event.seat not in suspect.departure.back.bets.owing:
        return course, ()
    return corroborate(course, number)


def _answers_a_bet(course: Course, event: Acted) -> bool:
    """A call or a raise cannot open a round: it belongs to the one before."""
    return event.action in ("call", "raise") and course.bets.bet == 0


def _stands_by_consent(course: Course, event: Acted, number: int) -> tuple[Departure, ...]:
    """Betting goes on with a card on the board that a remedy wants back."""
    street = plan.next_street(course)
    steps = course.plan[:street] if street >= 0 else course.plan
    if course.mute or any(step.kind == "close" for step in steps):
        return ()
    lies = course.felt.lies
    for step in steps:
        wanted = step.kind in ("set-aside", "return-board", "board-to-top")
        if wanted and any(lies.get(card) == places.BOARD for card in step.cards):
            return (
                Departure(
                    what="acted",
                    due=step.kind,
                    at_ms=event.at_ms,
                    numbers=(number,),
                    ticket=step.owners[0][0],
                    wrong=wrongs((step,)),
                ),
            )
    return ()


def shown_to_all(course: Course) -> Course:
    """An act was made on the board: what lies there face up has been seen by all (design.md 7)."""
    if not course.unturned:
        return course
    seen = frozenset(course.unturned) - course.face_down
    return replace(course, public=course.public | seen, unturned=())


def shuffled(course: Course, event: DeckShuffled, number: int) -> Followed:
    """The stub was shuffled: the remedy's shuffle, in its time or too early."""
    course = forgotten(course)
    if course.street == "deal" and course.pitched == 0 and course.deal == 1 and not course.mute:
        if plan.find(course, "cut") != 0 and plan.find(course, "shuffle") < 0:
            course = replace(course, plan=(Step("cut"), *course.plan))
        return course, ()
    at = plan.find(course, "shuffle")
    if at < 0:
        return course, ()
    step = course.plan[at]
    if course.mute or not step.owners:
        return plan.take(course, at), ()
    missed = [s for s in skipped(course, at) if s.kind not in ("return-aside", "return-board")]
    kinds = {s.kind for s in missed}
    ticket = step.owners[0][0]
    if not missed:
        return plan.take(course, at), ()
    early = kinds <= {"close", "floor", "refund"}
    departure = Departure(
        what="shuffle",
        due=gravest(tuple(missed)).kind if early else "branch",
        at_ms=event.at_ms,
        numbers=(number,),
        ticket=ticket,
        wrong=wrongs(tuple(missed)),
    )
    kept = tuple(s for s in course.plan[:at] if s not in missed)
    course = replace(course, plan=(*kept, *course.plan[at:]))
    return plan.take(course, len(kept)), (departure,)


def cut(course: Course) -> Course:
    """The stub was cut."""
    at = plan.find(course, "cut")
    return plan.take(course, at) if at >= 0 else course


def exposed(course: Course, event: CardExposed, number: int, first_cards: int) -> Followed:
    """A face was seen: the dealer's fault if it is a hole card of a deal not yet played."""
    card = _which(course, event)
    if event.card is not None and event.sure:
        course = replace(course, public=course.public | {event.card})
    if course.mute or not event.sure:
        return course, ()
    if places.plain(event.place) == places.STUB:
        return course, _faces_in_shuffle(course, event, number)
    seat = places.seat_of(event.place)
    if seat is None or card is None or event.by == "player" or card in course.exposed:
        return course, ()
    if course.street not in ("deal", "preflop") or course.burned or course.over:
        return course, ()
    due = _which_exposure(course, card, first_cards)
    doubt = event.doubt.instead if event.doubt else ""
    found = Departure(
        what="exposed",
        due=due,
        at_ms=event.at_ms,
        numbers=(number,),
        street="deal",
        seat=seat,
        seats=(seat,),
        cards=(card,),
        facts=frozenset({"acted"} if course.acts_in_turn else ()),
        doubt=doubt or ("player-turned" if event.by == "unknown" else ""),
        face_seen=True,
    )
    course = replace(course, exposed=(*course.exposed, card))
    if found.doubt and due == "one":
        course = replace(course, doubted=found)
    return course, (found,)


def _which(course: Course, event: CardExposed) -> str | None:
    """The card in question; a key knows only the seat and means the last card drawn to it."""
    if event.card is not None:
        return event.card
    seat = places.seat_of(event.place)
    drawn = course.drawn.get(seat, ()) if seat is not None else ()
    return drawn[-1] if drawn else None


def _which_exposure(course: Course, card: str, first_cards: int) -> str:
    if card == course.replacement:
        return "replacement"
    if first_cards and card == course.first_card:
        return "first"
    return "more" if course.exposed else "one"


def _faces_in_shuffle(course: Course, event: CardExposed, number: int) -> tuple[Departure, ...]:
    ticket = running(course)
    if not ticket:
        return ()
    states = dict(zip(course.remedies[ticket], course.marks[ticket], strict=True))
    if states.get("shuffle") == "open" and event.spot is not None:
        return ()
    return (
        Departure(
            what="shuffle",
            due="face",
            at_ms=event.at_ms,
            numbers=(number,),
            ticket=ticket,
            wrong=plan.owners_of(course, ticket, "shuffle"),
        ),
    )


def tabled(course: Course, event: HandTabled) -> Course:
    """A seat laid its cards face up."""
    cards = event.cards
    public = course.public | frozenset(c for c in cards if is_known(c))
    read = course.read | {event.seat} if cards else course.read
    course = replace(course, public=public, read=read)
    if not cards:
        lying = (c for c in course.drawn.get(event.seat, ()) if c in course.felt.lies)
        cards = tuple(lying)
    contenders = course.contenders
    if at_showdown(course) and not contenders:
        contenders = course.live
    return replace(course, tabled={**course.tabled, event.seat: cards}, contenders=contenders)


def undeclared(course: Course, at_ms: int, number: int, *, pushed: bool) -> tuple[Departure, ...]:
    """Who threw a hand away while the board played, without saying so (rules.md 1.6).

    Judged from tabled hands alone: what the mucked hand was is not asked.
    """
    if course.mute or not course.mucked or not course.tabled or len(course.contenders) < 2:
        return ()
    if not course.senses("declare", "tabled") or len(course.board) != _BOARD_SIZE:
        return ()
    if not pushed and frozenset(course.tabled) - course.read:
        return ()
    hands = list(course.tabled.values())
    known = all(len(cards) == 2 and all(map(is_known, cards)) for cards in hands)
    if not known or not course.public.issuperset(course.board):
        return ()
    board = strength(course.board)
    if any(strength((*cards, *course.board)) > board for cards in hands):
        return ()
    guilty = [s for s in course.mucked if s not in course.declared and s not in course.tabled]
    return tuple(
        Departure(
            what="showdown",
            due="declare",
            at_ms=at_ms,
            numbers=(number,),
            street="showdown",
            seat=seat,
            seats=(seat,),
            face_seen=True,
        )
        for seat in guilty
    )


def floor_key(course: Course, number: int) -> Followed:
    """The floor was called or ruled: its step is done, and a doubtful street is corroborated."""
    course, departures = corroborate(course, number) if not course.mute else (course, ())
    at = plan.find(course, "floor")
    return (plan.take(course, at) if at >= 0 else course), departures


def misdeal_declared(course: Course) -> Course:
    """The misdeal key: from here only the redeal is due."""
    if course.mute:
        return replace(course, declared_misdeal=True)
    steps = ("collect", "shuffle", "cut", "deal")
    return replace(
        course,
        mute="misdeal",
        declared_misdeal=True,
        plan=tuple(Step(kind) for kind in steps),
    )


def collected(course: Course, at_ms: int, number: int, *, late: bool | None) -> Followed:
    """Every card is back: the hand's end, or a deal that is dealt anew.

    `late` says whether it is too late for a misdeal, None where that cannot be told.
    """
    ended = course.over or course.pushed or at_showdown(course) or bool(course.tabled)
    if ended or (course.pitched == 0 and not course.mute):
        return course, ()
    if course.mute == "left" and late is not True:
        return course, ()
    keyed = course.declared_misdeal or course.mute == "misdeal"
    departures: tuple[Departure, ...] = ()
    if not course.void and (late or (late is None and keyed and course.acted_on_street)):
        departures = (
            Departure(
                what="collected",
                due="late",
                at_ms=at_ms,
                numbers=(number,),
                street=course.street,
                ticket=course.misdeal,
                doubt="" if late else "window-unknown",
            ),
        )
    at = plan.find(course, "collect")
    if course.mute and at >= 0:
        course = plan.take(course, at)
    return plan.dealt_anew(course), departures
