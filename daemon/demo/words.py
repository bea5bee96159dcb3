"""What the demo's screen says around the alerts, in English and Italian."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.rules.texts import Texts

# fmt: off
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "hand": "hand", "between": "between hands", "seats": "seats", "board": "board",
        "due": "due", "none": "nothing wrong", "earlier": "earlier",
        "waiting": "waiting for the table", "online": "online", "offline": "offline",
        "sensors": "sensors ok", "trouble": "sensor trouble",
        "stub": "stub", "burn": "burns", "aside": "aside", "muck": "muck",
        "deck": "deck", "deal": "deal", "preflop": "preflop", "flop": "flop", "turn": "turn",
        "river": "river", "showdown": "showdown",
        "raised": "open", "remedied": "remedied", "withdrawn": "withdrawn", "closed": "closed",
        "final": "not remedied", "seat": "seat", "cards": "cards", "pitch": "Pitch to seat",
        "collect-due": "Collect the cards", "showdown-due": "Showdown", "broker": "MQTT 5 on",
        "older": "MQTT 3.1.1 on", "end": "Ctrl-C ends it", "doubt": "in doubt",
        "summary": "hands: {hands}, alerts: {alerts}, remedied: {remedied}",
        "more": "{lines} more lines: a taller or wider window shows them",
    },
    "it": {
        "hand": "mano", "between": "tra due mani", "seats": "posti", "board": "board",
        "due": "tocca a", "none": "tutto regolare", "earlier": "prima",
        "waiting": "in attesa del tavolo", "online": "in linea", "offline": "non in linea",
        "sensors": "sensori ok", "trouble": "guasto ai sensori",
        "stub": "mazzo", "burn": "bruciate", "aside": "da parte", "muck": "scarti",
        "deck": "mazzo", "deal": "distribuzione", "preflop": "preflop", "flop": "flop",
        "turn": "turn", "river": "river", "showdown": "showdown",
        "raised": "aperto", "remedied": "rimediato", "withdrawn": "ritirato", "closed": "chiuso",
        "final": "non rimediato", "seat": "posto", "cards": "carte", "pitch": "Carta al posto",
        "collect-due": "Raccogliere le carte", "showdown-due": "Showdown", "broker": "MQTT 5 su",
        "older": "MQTT 3.1.1 su", "end": "Ctrl-C per finire", "doubt": "in dubbio",
        "summary": "mani: {hands}, allarmi: {alerts}, rimediati: {remedied}",
        "more": "altre {lines} righe: una finestra più alta o più larga le mostra",
    },
}
# fmt: on


class Vocabulary:
    """One language: the screen's words, and those of the book for steps and severities."""

    def __init__(self, language: str, texts: Texts) -> None:
        self.language = language
        self._words = WORDS[language]
        self._texts = texts

    def __call__(self, word: str) -> str:
        return self._words.get(word, word)

    def step(self, kind: str, seat: int | None = None) -> str:
        """A step that is due, as people say it."""
        own = self._words.get(kind if kind == "pitch" else f"{kind}-due")
        words = own or self._texts.languages[self.language].steps.get(kind, kind)
        return f"{words} {seat}" if seat and kind == "pitch" else words

    def severity(self, severity: str) -> str:
        return self._texts.word(self.language, "severity", severity)
