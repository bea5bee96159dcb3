"""Cards that move on the felt: taken off the board, set aside, returned, mucked, passed."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, early, mending, order, passing, plan, repitched
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, astray, corroborate, wrongs
from daemon.course.steps import SIZE, STREET_OF, STREETS, WHOLE, Step
from daemon.table import places
from daemon.table.events import CardMoved

_ON_BOARD = ("set-aside", "return-board", "board-to-top")
# Elsewhere it may be a reader's slip, until it has stayed away for a while.
_TAKEN_BACK = (places.ASIDE, places.STUB)
_INTO_STUB = ("return-aside", "return-board")
_TO_BURN = ("exposed-to-burn", "extra-to-burn")


def moved(course: Course, event: CardMoved, number: int) -> Followed:
    """A card went from one place of the felt to another, or back to the stub."""
    source, to = places.plain(event.source), places.plain(event.to)
    owner = _owner(course, event.card)
    if to == places.MUCK and owner and event.card not in course.board:
        source = places.SEAT[owner]  # a fold may slide over the board or another seat
    if source == to or course.over or course.pushed:
        return course, ()
    slid = event.card in course.board and to in (places.MUCK, places.BOARD)  # and fished back
    course = replace(course, joining=0, quiet=course.quiet and slid)
    if course.mute and to != places.MUCK:  # folds still count: they may shut a misdeal's window
        return course, ()
    seat = places.seat_of(to)
    if seat is not None and not course.mute:
        entered = passing.enters(course, event, number, (source, seat))
        if entered is not None:
            return entered
    if source == places.OFF and any(
        s.kind in _TO_BURN and event.card in s.cards for s in course.plan
    ):
        return _from_aside(course, event, number, to)  # dealt off the table, and picked up
    back = to in _TAKEN_BACK and _is_wanted_back(course, event.card)
    if back or source in (places.BOARD, places.OFF):  # a hand is slower than a reader's miss
        return _off_board(course, event, number, to)
    if source == places.ASIDE:
        return _from_aside(course, event, number, to)
    if to == places.BOARD and plan.next_street(course) >= 0:
        return course, passing.onto_board(course, event, number)
    if source == places.BURN and to == places.MUCK:
        return course, passing.swept(course, event, number, "burn-lost")
    if source in (places.BURN, places.MUCK) and to == places.STUB:
        return _back_in_stub(course, event, number, source)
    seat = places.seat_of(source)
    if seat is not None:
        return _from_seat(course, event, number, (seat, to))
    return course, ()


def _is_wanted_back(course: Course, card: str) -> bool:
    """Whether a remedy wants this card of the board back, wherever it has gone meanwhile."""
    return any(step.kind in _ON_BOARD and card in step.cards for step in course.plan)


def _owner(course: Course, card: str) -> int:
    """The seat whose hole card it is, 0 for none."""
    return next((seat for seat, cards in course.drawn.items() if card in cards), 0)


def laid_aside(course: Course, card: str) -> Course:
    """A card came to the aside spot by way of the stub."""
    return _taken_if(course, "set-aside", card, places.ASIDE)


def _all_at(course: Course, step: Step, *where: str) -> bool:
    lies = course.felt.lies
    return all(lies.get(card, places.STUB) in where for card in step.cards)


def _taken_if(course: Course, kind: str, card: str, *where: str) -> Course:
    """Take the step of that kind about this card once all its cards lie there."""
    for at, step in enumerate(course.plan):
        if step.kind == kind and card in step.cards:
            if not _all_at(course, step, *where):
                return course
            course = order.put_back(plan.take(course, at), step)
            return mending.mixed_again(course, step, at) if kind in _INTO_STUB else course
    return course


def _off_board(course: Course, event: CardMoved, number: int, to: str) -> Followed:
    card = event.card
    pick = mending.pick_of(course, card)
    if pick is not None and to == places.BURN:
        return mending.picked(course, event, number, pick)
    if pick is not None and to in (places.STUB, places.MUCK, places.ASIDE):
        return _astray(course, event, number, pick)
    saved = [s for s in course.plan if s.kind == "river-from-saved" and card in s.cards]
    if saved and to in (places.MUCK, places.BURN, places.STUB):
        return _lost(course, event, number, saved)
    steps = [s for s in course.plan if s.kind in _ON_BOARD and card in s.cards]
    if steps:
        if to in (places.BURN, places.MUCK):
            return _astray(course, event, number, steps[0])
        course = _off_the_street(course, card)
        # Where nobody sees the pads, a card that is off the board is where it should be.
        unseen = (places.OFF,) if not (course.senses("aside") or course.senses("stub")) else ()
        course = _taken_if(course, "set-aside", card, places.ASIDE, *unseen)
        course = _taken_if(course, "return-board", card, places.STUB, *unseen)
        return _taken_if(course, "board-to-top", card, places.STUB), ()
    if to == places.MUCK and card in course.board:
        return course, passing.swept(course, event, number, "board-lost")
    if card not in course.board:
        return course, ()
    if len(course.live) < 2 or passing.at_showdown(course):
        return course, ()
    if course.adrift:
        board = course.board if to == places.OFF else tuple(c for c in course.board if c != card)
        return early.as_it_lies(course, board), ()
    suspect = None if course.suspect and course.suspect.acted else course.suspect
    if suspect and card in suspect.departure.cards and to in _TAKEN_BACK:
        return corroborate(course, number)
    later = course.unproven if course.betting.level != "none" else None
    untouched = not course.acted_on_street and to in _TAKEN_BACK
    if later and untouched and card in later.departure.cards:
        return corroborate(course, number, suspect=later)
    if card in course.board[WHOLE["river"] :]:
        return _off_the_street(course, card), ()
    return _withdrawn(course, event, number, to)


def _off_the_street(course: Course, card: str) -> Course:
    """A remedy takes a street back that had been dealt: its round never was."""
    if card not in course.board:
        return course
    at = course.board.index(card)
    if at >= WHOLE["river"]:  # of a street that was laid a second time
        return replace(course, board=tuple(c for c in course.board if c != card))
    return take_back(course, "flop" if at < 3 else ("turn", "river")[at - 3])


def _astray(course: Course, event: CardMoved, number: int, step: Step) -> Followed:
    """A card that the remedy wants back was put with the burns or the muck."""
    wrong = wrongs(tuple(s for s in course.plan if event.card in s.cards))
    return astray(course, event, number, step.owners[0][0], wrong)


def _withdrawn(course: Course, event: CardMoved, number: int, to: str) -> Followed:
    """A lawful board card was taken back with two or more hands live: a remedy begins.

    One of a street upon which another lies is no street that came too early: the floor must say.
    """
    at = course.board.index(event.card)
    street, cards = "flop", course.board[:3]
    if at >= 3:
        street, cards = ("turn", "river")[at - 3], course.board[at : at + 1]
    is_last = len(course.board) <= SIZE["flop"] + STREETS.index(street)
    departure = Departure(
        what="moved",
        due="withdrawn",
        at_ms=event.at_ms,
        numbers=(number,),
        street=street,
        cards=cards,
        facts=frozenset({street} if is_last else ()),
        home=() if to in _TAKEN_BACK else (places.BOARD,),
        waits="" if to in _TAKEN_BACK else "gone",
        face_seen=True,
    )
    return course, (departure,)


def take_back(course: Course, street: str) -> Course:
    """The street is off the board: its round, if any began, is the one before it again."""
    kept = {"flop": 0, "turn": 3, "river": 4}[street]
    before = {"flop": "preflop", "turn": "flop", "river": "turn"}[street]
    bets = course.bets
    if course.street == street and course.old_bets:
        bets = betting.taken_back(bets, course.old_bets)
    return replace(
        course, board=course.board[:kept], bets=bets, street=before, dealing=None, laid=0
    )


def _from_aside(course: Course, event: CardMoved, number: int, to: str) -> Followed:
    card = event.card
    if course.adrift and to == places.BOARD:
        return early.as_it_lies(course, (*course.board, card)), ()
    own = [s for s in course.plan if s.kind in _TO_BURN and card in s.cards]
    if own and to == places.BURN:
        return _burned_late(course, event, number)
    if own and to == places.MUCK:
        return _astray(course, event, number, own[0])
    if to == places.STUB:
        course = _taken_if(course, "return-aside", card, places.STUB)
        return _taken_if(course, "return-board", card, places.STUB), ()
    steps = [s for s in course.plan if s.kind == "return-aside" and card in s.cards]
    gone = to in (places.BURN, places.MUCK) or (to == places.OFF and event.by != "unknown")
    if not steps or not (gone or to == places.BOARD):
        return course, ()
    if to != places.BOARD:  # it comes back no more, so that nothing waits for it
        left = replace(course, plan=tuple(s for s in course.plan if s not in steps))
        return _lost(left, event, number, steps)
    return course, (replace(_lost(course, event, number, steps)[1][0], due="played"),)


def _lost(course: Course, event: CardMoved, number: int, steps: list[Step]) -> Followed:
    """What the remedy needs is gone."""
    ticket = steps[0].owners[0][0]
    return course, (
        Departure(
            what="moved",
            due="lost",
            at_ms=event.at_ms,
            numbers=(number,),
            cards=(event.card,),
            ticket=ticket,
            wrong=wrongs(tuple(s for s in steps if plan.owns(s, ticket))),
        ),
    )


def _back_in_stub(course: Course, event: CardMoved, number: int, source: str) -> Followed:
    card = event.card
    at = plan.find(course, "burn-to-top") if source == places.BURN else -1
    was_spare = card in course.spare
    course = replace(course, spare=tuple(c for c in course.spare if c != card))
    if at >= 0 and card in course.plan[at].cards:
        return mending.burn_returned(course, card, at), ()
    if was_spare:
        return course, ()
    ticket = passing.running(course)
    if not ticket and source == places.BURN and _is_next_burn(course, card):
        return _unburned(course, card), ()
    mixing = ticket and "scramble" in course.remedies[ticket]  # what mixed is shuffled with it
    if not ticket or mixing:
        return course, passing.mixed(course, event, number)
    return course, (
        Departure(
            what="moved",
            due=f"{source}-in-stub",
            at_ms=event.at_ms,
            numbers=(number,),
            cards=(card,),
            ticket=ticket,
            wrong=plan.owners_of(course, ticket, "shuffle"),
        ),
    )


def _burned_late(course: Course, event: CardMoved, number: int) -> Followed:
    """The exposed or the extra card becomes the burn; a burn made in its place is one too many."""
    owed = any(s.kind in _TO_BURN and event.card in s.cards for s in course.plan)
    for kind in _TO_BURN:
        course = _taken_if(course, kind, event.card, places.BURN)
    street = plan.next_street(course)
    if not owed or not course.burned or street < 0:
        return course, ()
    spare = course.burned[-1]
    return replace(course, spare=(*course.spare, spare)), (
        Departure(
            what="burn",
            due="more",
            at_ms=event.at_ms,
            numbers=(number,),
            street=STREET_OF[course.plan[street].kind],
            cards=(spare,),
            home=(places.STUB,),
        ),
    )


def _is_next_burn(course: Course, card: str) -> bool:
    street = plan.next_street(course)
    due = street >= 0 and course.plan[street].kind in STREETS and not course.dealing
    return card in course.burned and due


def _unburned(course: Course, card: str) -> Course:
    """The burn of the street that is to come was put back: it is due again."""
    street = plan.next_street(course)
    burned = tuple(c for c in course.burned if c != card)
    before = tuple(step for step in course.plan[:street] if not step.may)
    due = (*before, Step("burn"), *course.plan[street:])
    return replace(course, burned=burned, plan=due)


def _from_seat(course: Course, event: CardMoved, number: int, way: tuple[int, str]) -> Followed:
    seat, to = way
    card = event.card
    steps = [s for s in course.plan if s.kind in _TO_BURN and card in s.cards]
    if steps and to == places.MUCK:
        return _astray(course, event, number, steps[0])
    dead = [s for s in course.plan if s.kind == "kill-hand" and s.seat == seat]
    if dead and to == places.BURN:  # all cards of a dead hand are mucked (TDA 2024 rule 38)
        return _as_burn(course, event, number, dead[0])
    if to == places.BURN:
        return _burned_late(course, event, number)
    other = places.seat_of(to)
    if to == places.STUB and (course.board or course.burned):
        return _back_in_stub(
            repitched.unpitched(course, card, seat, None), event, number, places.MUCK
        )
    if other is not None or to == places.STUB:
        return repitched.unpitched(course, card, seat, other), ()
    if to == places.OFF and event.by != "unknown":
        return course, passing.off_table(course, event, number, seat)
    if to != places.MUCK:
        return course, ()
    whole = repitched.is_dealt(course, seat) and _is_gone(course, seat, card)
    if not whole or folding(course, event):  # a fold is an act
        return course, ()
    wanted = any(s.kind == "kill-hand" and s.seat == seat for s in course.plan)
    course = plan.killed(course, seat)
    if seat not in course.live:
        return course, ()
    by_dealer = event.by == "dealer" and not (course.mute or wanted)
    killed = by_dealer and passing.is_killed(course, seat)
    found = (passing.killed(course, event, number, seat),) if killed else ()
    return gave_up(course, seat), found


def _as_burn(course: Course, event: CardMoved, number: int, kill: Step) -> Followed:
    """A card of a hand that is dead for its count is used as a burn (rules.md 3, SM-17)."""
    return course, (
        Departure(
            what="moved",
            due="as-burn",
            at_ms=event.at_ms,
            numbers=(number,),
            cards=(event.card,),
            ticket=kill.owners[0][0],
            wrong=kill.owners,
        ),
    )


def _is_gone(course: Course, seat: int, card: str) -> bool:
    """Whether no card of that hand is left once this one is mucked."""
    lies = course.felt.lies
    gone = (places.MUCK, places.BURN, places.ASIDE, places.STUB)
    dealt_off = {c for c in course.exposed if lies.get(c) == places.OFF}
    held = [c for c in course.drawn.get(seat, ()) if c not in dealt_off and c != card]
    return all(lies.get(c, places.STUB) in gone for c in held)


def folding(course: Course, event: CardMoved) -> int:
    """The seat whose hand is in the muck with this card, where that is a fold; 0 for none.

    The dealer's own muck of a hand is none, nor one at showdown, nor of a hand that is dead.
    """
    seat = _owner(course, event.card)
    if places.plain(event.to) != places.MUCK or seat not in course.live:
        return 0
    if not repitched.is_dealt(course, seat):
        return 0
    if course.over or course.pushed or passing.at_showdown(course):
        return 0
    dead = any(step.kind == "kill-hand" and step.seat == seat for step in course.plan)
    astray = any(s.kind in _TO_BURN and event.card in s.cards for s in course.plan)
    by_dealer = event.by == "dealer" and not course.mute
    if dead or astray or by_dealer or event.card in course.board:
        return 0
    return seat if _is_gone(course, seat, event.card) else 0


def gave_up(course: Course, seat: int) -> Course:
    """The seat's hand is out: a fold while the betting is on, a muck once hands are to be shown."""
    if passing.at_showdown(course):
        return replace(
            course,
            contenders=course.contenders or course.live,
            mucked=(*course.mucked, seat),
            bets=betting.fold(course.bets, seat),
        )
    due = betting.due_order(course.bets)
    in_turn = bool(due) and due[0] == seat
    bets = betting.fold(course.bets, seat)
    if in_turn:
        bets = replace(bets, last=seat)
    course = replace(course, bets=bets, acts_in_turn=course.acts_in_turn + in_turn)
    return plan.abandon(course) if len(bets.live) < 2 else plan.settle(course)
