"""Hands told up to the moment that a test is about: three seats, the button at 1."""

from __future__ import annotations

from tests.judge.streams import FLOP, Stream

DEALERS = {"betting": {"level": "acts", "source": "dealer"}}
CLOSES = {"betting": {"level": "closes"}}
NO_BETTING = {"betting": {"level": "none"}}


def dealt(seats=(1, 2, 3), button=1, table=None, **facts):
    """Two cards at each seat."""
    return Stream("t", **(table or {})).start("1", seats, button, **facts).deal()


def closed(**facts):
    """The first round is over: all are in, the big blind has checked."""
    stream = dealt(**facts)
    first, *others = stream.order()
    if not others[1:]:  # heads-up the button opens
        return stream.act("call", *others).act("check", first)
    big_blind, *later = others
    return stream.act("call", *later, first).act("check", big_blind)


def flopped(cards=FLOP, **facts):
    """The flop lies; everybody owes."""
    return closed(**facts).flop(*cards)


def checked(stream):
    """Everybody checks, from the button's left."""
    return stream.act("check", *stream.order())


def turned(**facts):
    return checked(flopped(**facts)).burn().board("Td")


def rivered(**facts):
    return checked(turned(**facts)).burn().board("Jc")


def premature(**facts):
    """Td fell as the turn while seats 3 and 1 owe on the flop; 8s is its burn."""
    return flopped(**facts).act("check", 2).burn("8s").board("Td")


def redealt(stream):
    """Td set aside, the flop's round ended, and the would-be river laid as the turn."""
    return (
        stream.move("Td", "aside").act("check", 3, 1).burn("4h").board("Jc").act("check", 2, 3, 1)
    )


def exposed():
    """The second card off the deck, Kd, was pitched face up to seat 3; seat 1 has its first."""
    return Stream("t").start().pitch(2).pitch(3, "Kd", face="up").pitch(1)


def ended(stream):
    """The pot goes to seat 2, the cards are gathered, the hand is over."""
    return stream.say("pot-pushed", seats=[2]).end()


def won(stream):
    """All but seat 2 fold, wherever the hand stands, and it ends."""
    return ended(stream.act("fold", *(seat for seat in stream.order() if seat != 2)))
