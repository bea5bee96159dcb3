"""Card shoe on CSL1, a vendor-neutral line protocol. Talks unasked, 115200 8N1 or TCP.

    $TYPE,SEQ,T,fields*CCCC CR LF           one event a line, at most 120 bytes
    $CARD,4,10710,2,TD,95,O*7F7B            the second card out is the ten of diamonds

SEQ 0 to 65535 and round again, one per event; T ms since power-up, 32 bits and round again; CCCC
the CRC-16/CCITT-FALSE of what stands between $ and *. Further fields at the end are ignored.

| type | fields after T                              | reading                                     |
|------|---------------------------------------------|---------------------------------------------|
| HELO | CSL1, boot id (8 hex), maker, model,        | Started; at power-up with SEQ 0, and when   |
|      | serial, firmware, decks, abilities          | asked; abilities are joined by +            |
| LOAD | count                                       | ShoeLoaded                                  |
| EMPT |                                             | ShoeEmpty                                   |
| CARD | n since LOAD, card, quality 0-100, O/B/R    | CardDrawn; card is rank 23456789TJQKA and   |
|      |                                             | suit SHDC, ?? not readable, XX not of this  |
|      |                                             | deck; optical, barcode or radio             |
| RAWI | n, kind B/R/O, hex                          | none: the raw code goes no further          |
| BACK | n                                           | CardPushedBack                              |
| CUT  | n                                           | CutCardCame                                 |
| LID  | O or C                                      | LidMoved                                    |
| SHUF | START/DONE/FAIL, count or empty             | Shuffled                                    |
| BTN  | name                                        | KeyPressed                                  |
| ERR  | code, severity I/W/E, text                  | DeviceFault, with the text of our own table |
| HB   | state IDLE/RUN/STOP/FAULT, n                | Beat; each second, SEQ is the last event's  |
| NAK  | reason                                      | Acked(ok=False): a host's line was bad      |

The host says `$RSND,from,to*CCCC` (send these again, the same to the byte), `$PING*CCCC` (answered
by HB) and `$HELO?*CCCC`. Nothing the host can say moves a card.
"""

from __future__ import annotations

from functools import partial

from drivers.driver import Driver
from drivers.lines import ERR, NAK, LineDecoder, LineTalker, Message, Said, number
from drivers.readings import (
    CardDrawn,
    CardPushedBack,
    CutCardCame,
    KeyPressed,
    LidMoved,
    Reading,
    ShoeEmpty,
    ShoeLoaded,
    Shuffled,
)

PROTOCOL = "CSL1"

_UNREADABLE = "??"
_FOREIGN = "XX"
_N = r"0*(?P<n>1000|[1-9]\d{0,2})"  # 1 to 1000: the largest shoe holds eight decks
_COUNT = r"0*(?P<count>1000|\d{1,3})"
_CARD = rf"{_N},(?P<card>[2-9TJQKA][SHDC]|\?\?|XX),0*(?P<quality>100|\d{{1,2}}),[OBR]"


def _drawn(said: Said) -> tuple[Reading, ...]:
    n, face, quality = int(said["n"]), said["card"], int(said["quality"])
    if face in (_UNREADABLE, _FOREIGN):
        return (CardDrawn(n, None, face == _FOREIGN, quality),)
    return (CardDrawn(n, face[0] + face[1].lower(), quality=quality),)


def _shuffled(said: Said) -> tuple[Reading, ...]:
    return (Shuffled(said["phase"].lower(), number(said["count"])),)


def _button(said: Said) -> tuple[Reading, ...]:
    return (KeyPressed(said["name"].lower()),)


# fmt: off
MESSAGES = {
    "LOAD": Message(_COUNT, lambda said: (ShoeLoaded(int(said["count"])),)),
    "EMPT": Message(r".*", lambda _said: (ShoeEmpty(),)),
    "CARD": Message(_CARD, _drawn),
    "RAWI": Message(r".*", lambda _said: ()),
    "BACK": Message(_N, lambda said: (CardPushedBack(int(said["n"])),)),
    "CUT":  Message(_N, lambda said: (CutCardCame(int(said["n"])),)),
    "LID":  Message(r"(?P<state>[OC])", lambda said: (LidMoved(said["state"] == "O"),)),
    "SHUF": Message(rf"(?P<phase>START|DONE|FAIL)(?:\Z|,(?:{_COUNT})?)", _shuffled),
    "BTN":  Message(r"(?P<name>[A-Z0-9?-]{1,16})", _button),
    "ERR":  ERR,
    "NAK":  NAK,
}
# fmt: on

DRIVER = Driver(
    name="csl1",
    title="Card shoe, CSL1 line protocol",
    decoder=partial(LineDecoder, PROTOCOL, MESSAGES),
    talker=LineTalker,
    senses=("order", "identity", "count", "shuffle"),
    silent_after_ms=5000,
)
