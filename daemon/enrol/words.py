"""What the deck commands say to the technician, in English and Italian."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from daemon.enrol.ceremony import (
    Failed,
    NameAsked,
    NameRefused,
    Said,
    SampleAsked,
    SampleWrong,
)
from daemon.enrol.enrolment import (
    Asked,
    Double,
    Enrolled,
    HasTag,
    NothingToUndo,
    NotUnderstood,
    Refused,
    Several,
    StillMissing,
    Undone,
    Which,
    Whole,
)
from daemon.enrol.verification import Result
from daemon.spoken import Count
from daemon.table.cards import DECK, RANKS, SUITS

# fmt: off
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "ranks": "two three four five six seven eight nine ten jack queen king ace",
        "suits": "clubs diamonds hearts spades", "card": "{rank} of {suit}",
        "help": "One card at a time. Enter asks again; undo, undo Td, missing, quit.",
        "asked": "Lay {card}.", "any": "Lay a card.", "which": "Which card is that? (Td, 10d)",
        "enrolled": "{count:>2} of {of}  {card}",
        "double": "That is {card} already. Take it off; if it is another card: undo {short}",
        "double-before": "That card is enrolled already. Take it off.",
        "several": "More than one new card lies there. Take all off and lay one.",
        "undone": "{card} is taken back. Take the card off.", "nothing": "There is none to undo.",
        "has-tag": "{card} is enrolled already; to lay it anew: undo {short}",
        "not-understood": "A card is written like Td or 10d; other words: undo, missing, quit.",
        "missing": "{count} missing: {cards}", "whole": "All {of} cards are there.",
        "other-deck": "That card belongs to deck {name}. Take it off.",
        "other-length": "That card has another kind of tag than the others. Take it off.",
        "unreadable": "Sensor {name} cannot read this kind of tag. The deck is not for this table.",
        "random": "That tag has another number at each reading. It cannot be a card.",
        "half": "Half of that tag's number came: this reader does not read such tags whole.",
        "odd": "That tag has no number that a card could have. Take it off.",
        "first-name": "Who lays the deck? Name:", "second-name": "Who checks it? Name:",
        "name-refused": "A name, and not that of who laid the deck.",
        "sample": "Check {nth} of {of}: lay {card}.",
        "sample-wrong": "That is not what was enrolled as {card}.",
        "failed": "The check failed. Nothing is written; enrol the deck anew.",
        "written": "{file}: {of} cards, written.",
        "kept": "{count} of {of} are kept; the same command goes on with them.",
        "resumed": "{count} of {of} were enrolled before; going on. (--anew begins anew.)",
        "stays": "The deck that is enrolled stays until this one is whole.",
        "lost": "Reader not there: {why}. Waiting for it.", "back": "Reader there.",
        "never": "{port}: {why}. Put that right, then give the same command again.",
        "unheard": "Nothing can be typed here: standard input has ended. Ctrl-C ends the command.",
        "garbled": "What the reader says makes no sense: another driver, or another speed?",
        "laying": "Lay the deck on the antenna, or pass its cards over it. Enter ends it.",
        "count": "{count:>2} of {of}",
        "deck-good": "Deck {name}: {of} of {of}.", "deck-bad": "Deck {name}: {count} of {of}.",
        "many-missing": "{count} missing: too many to name them.",
        "badly-read": "Read badly, {count}: {cards}",
        "foreign": "Not of any deck: {count}", "of-deck": "Of deck {name}: {count}",
        "of-before": "Some of the cards kept are another deck's by now: --anew begins anew.",
        "days": "{age:day|days}", "not-enrolled": "not enrolled",
        "unusable": "not usable",
        "interrupted": "enrolment interrupted at {count} of {of}",
        "head": "deck|cards|tags|enrolled|age|persons|",
        "over": "was enrolled {age:day|days} ago; the house allows {days}",
        "undated": "does not tell when it was enrolled; the house allows {days:day|days}",
    },
    "it": {
        "ranks": "due tre quattro cinque sei sette otto nove dieci fante donna re asso",
        "suits": "fiori quadri cuori picche", "card": "{rank} di {suit}",
        "help": "Una carta alla volta. Invio ripete; annulla, annulla Td, mancanti, esci.",
        "asked": "Posare {card}.", "any": "Posare una carta.",
        "which": "Che carta è? (Td, 10d; c fiori, d quadri, h cuori, s picche)",
        "enrolled": "{count:>2} di {of}  {card}",
        "double": "Quella è già {card}. Toglierla; se è un'altra carta: annulla {short}",
        "double-before": "Quella carta è già registrata. Toglierla.",
        "several": "C'è più di una carta nuova. Toglierle tutte e posarne una.",
        "undone": "{card}: annullata. Togliere la carta.", "nothing": "Niente da annullare.",
        "has-tag": "{card}: già registrata; per rifarla: annulla {short}",
        "not-understood": "Una carta si scrive Td o 10d; altre parole: annulla, mancanti, esci.",
        "missing": "Ne mancano {count}: {cards}", "whole": "Ci sono tutte le {of} carte.",
        "other-deck": "Quella carta è del mazzo {name}. Toglierla.",
        "other-length": "Quella carta ha un tag di altro tipo delle altre. Toglierla.",
        "unreadable": "Il sensore {name} non legge questo tipo di tag: mazzo non adatto al tavolo.",
        "random": "Quel tag ha un numero diverso a ogni lettura. Non può essere una carta.",
        "half": "Del numero di quel tag è arrivata metà: questo lettore non lo legge intero.",
        "odd": "Quel tag non ha un numero adatto a una carta. Toglierla.",
        "first-name": "Chi posa il mazzo? Nome:", "second-name": "Chi controlla? Nome:",
        "name-refused": "Un nome, e non quello di chi ha posato il mazzo.",
        "sample": "Controllo {nth} di {of}: posare {card}.",
        "sample-wrong": "Non è quella registrata come {card}.",
        "failed": "Controllo non riuscito. Non si scrive nulla; registrare di nuovo il mazzo.",
        "written": "{file}: {of} carte, scritto.",
        "kept": "{count} di {of} conservate; lo stesso comando riprende da qui.",
        "resumed": "{count} di {of} già registrate; si riprende. (--anew ricomincia.)",
        "stays": "Il mazzo registrato resta finché questo non è completo.",
        "lost": "Il lettore non c'è: {why}. In attesa.", "back": "Lettore presente.",
        "never": "{port}: {why}. Rimediare, poi ripetere il comando.",
        "unheard": "Qui non si può scrivere: lo standard input è finito. Ctrl-C ferma il comando.",
        "garbled": "Il lettore dice cose senza senso: altro driver, o altra velocità?",
        "laying": "Posare il mazzo sull'antenna, o passarvi sopra le carte. Invio termina.",
        "count": "{count:>2} di {of}",
        "deck-good": "Mazzo {name}: {of} di {of}.", "deck-bad": "Mazzo {name}: {count} di {of}.",
        "many-missing": "Ne mancano {count}: troppe per nominarle.",
        "badly-read": "Si leggono male, {count}: {cards}",
        "foreign": "Di nessun mazzo: {count}", "of-deck": "Del mazzo {name}: {count}",
        "of-before": "Alcune carte conservate ora sono di un altro mazzo: --anew ricomincia.",
        "days": "{age:giorno|giorni}", "not-enrolled": "non registrato",
        "unusable": "non utilizzabile",
        "interrupted": "registrazione interrotta a {count} di {of}",
        "head": "mazzo|carte|tag|registrato|età|persone|",
        "over": "registrato {age:giorno|giorni} fa; la casa ne ammette {days}",
        "undated": "non dice quando fu registrato; la casa ammette {days:giorno|giorni}",
    },
}
# fmt: on

LANGUAGES = tuple(WORDS)


class Speech:
    """One language of the deck commands."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = WORDS[language]
        self._ranks = dict(zip(RANKS, self._words["ranks"].split(), strict=True))
        self._suits = dict(zip(SUITS, self._words["suits"].split(), strict=True))

    def __call__(self, word: str, **parts: object) -> str:
        """A phrase with its parts; `of` is the number of cards in a deck unless it is given."""
        facts = {"of": len(DECK), **parts}
        counts = {
            key: Count(fact) if isinstance(fact, int) else fact for key, fact in facts.items()
        }
        return self._words[word].format(**counts)

    def card(self, card: str) -> str:
        """A card as people say it, with its name: `Td (ten of diamonds)`."""
        said = self("card", rank=self._ranks[card[0]], suit=self._suits[card[1]])
        return f"{card} ({said})"

    def said(self, word: Said) -> str:
        """What an enrolment says."""
        match word:
            case Asked(card):
                return self("any") if card is None else self("asked", card=self.card(card))
            case Which():
                return self("which")
            case Enrolled(card, count):
                return self("enrolled", card=self.card(card), count=count)
            case Double(card):
                if card is None:
                    return self("double-before")
                return self("double", card=self.card(card), short=card)
            case Refused(why, name):
                return self(why, name=name)
            case Several():
                return self("several")
            case Undone(card):
                return self("undone", card=self.card(card))
            case NothingToUndo():
                return self("nothing")
            case HasTag(card):
                return self("has-tag", card=self.card(card), short=card)
            case NotUnderstood():
                return self("not-understood")
            case StillMissing(cards):
                return self("missing", count=len(cards), cards=_by_suit(cards))
            case Whole():
                return self("whole")
            case NameAsked(second):
                return self("second-name" if second else "first-name")
            case NameRefused():
                return self("name-refused")
            case SampleAsked(card, nth, of):
                return self("sample", nth=nth, of=of, card=self.card(card))
            case SampleWrong(card):
                return self("sample-wrong", card=self.card(card))
            case Failed():
                return self("failed")
            case _:
                assert_never(word)

    def result(self, name: str, found: Result) -> list[str]:
        """What the check of a deck found, a line for each thing."""
        lines = [self("deck-bad" if found.missing_count else "deck-good", name=name,
                      count=found.seen)]  # fmt: skip
        if found.missing_count and found.missing is None:
            lines.append(self("many-missing", count=found.missing_count))
        elif found.missing:
            cards = _by_suit(found.missing)
            lines.append(self("missing", count=found.missing_count, cards=cards))
        if found.badly_read:
            cards = _by_suit(found.badly_read)
            lines.append(self("badly-read", count=len(found.badly_read), cards=cards))
        lines += [self("of-deck", name=deck, count=n) for deck, n in found.other_decks.items()]
        if found.foreign:
            lines.append(self("foreign", count=found.foreign))
        return lines


def _by_suit(cards: Iterable[str]) -> str:
    """Cards in the order given, a comma between two suits."""
    suits: dict[str, list[str]] = {}
    for card in cards:
        suits.setdefault(card[1], []).append(card)
    return ", ".join(" ".join(one) for one in suits.values())
