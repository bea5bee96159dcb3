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
        "open": "The screens: open {address}",
        "tour-deck": "Shuffle and deck", "tour-deal": "Deal", "tour-burns": "Burns",
        "tour-board": "Board", "tour-hands": "Hands", "tour-showdown": "Showdown",
        "tour-remedy": "A fault in a remedy", "tour-doubt": "A doubt",
        "tour-sensor": "Sensor trouble",
        "how-right": "put right as the book says", "how-ignored": "not put right: play goes on",
        "how-wrong": "put right wrongly: {fault}",
        "how-doubt-right": "the dealer's key says that a face was seen: the floor's",
        "how-doubt-unkeyed": "no key says so: for maintenance, and the floor is left in peace",
        "how-sensor-right": "the shoe's cable is out, and put back",
        "how-sensor-ignored": "a hand is dealt without the shoe, and nothing false is said",
        "toured": "{right} of {scenes} scenes found as they should be",
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
        "open": "Gli schermi: aprire {address}",
        "tour-deck": "Mescolata e mazzo", "tour-deal": "Distribuzione", "tour-burns": "Bruciate",
        "tour-board": "Board", "tour-hands": "Mani", "tour-showdown": "Showdown",
        "tour-remedy": "Un errore nel rimedio", "tour-doubt": "Un dubbio",
        "tour-sensor": "Guasto ai sensori",
        "how-right": "rimediato come dice il regolamento",
        "how-ignored": "senza rimedio: si gioca avanti",
        "how-wrong": "rimediato male: {fault}",
        "how-doubt-right": "il tasto del dealer dice che una faccia è stata vista: tocca al floor",
        "how-doubt-unkeyed": "nessun tasto lo dice: ci guarda la manutenzione, non il floor",
        "how-sensor-right": "il cavo dello shoe è staccato, e riattaccato",
        "how-sensor-ignored": "una mano distribuita senza lo shoe, e nulla di falso è detto",
        "toured": "{right} scene su {scenes} trovate come devono essere",
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

    def knows(self, word: str) -> bool:
        """Whether it has this word."""
        return word in self._words

    def title(self, irregularity: str) -> str:
        """What people call an irregularity."""
        return self._texts.languages[self.language].entries[irregularity].title or irregularity

    def step(self, kind: str, seat: int | None = None) -> str:
        """A step that is due, as people say it."""
        own = self._words.get(kind if kind == "pitch" else f"{kind}-due")
        words = own or self._texts.languages[self.language].steps.get(kind, kind)
        return f"{words} {seat}" if seat and kind == "pitch" else words

    def severity(self, severity: str) -> str:
        return self._texts.word(self.language, "severity", severity)
