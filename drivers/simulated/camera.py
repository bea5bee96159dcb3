"""A camera over the table: it says the faces it sees, several times a second."""

from __future__ import annotations

import msgspec

from drivers.readings import Face

PICTURE_MS = 200


class SimulatedCamera:
    """Sees what was laid face up in its zones; `misreads` maps a card to what it is taken for.

    `drop_next` pictures are taken and never said, so that their numbers are missing.
    """

    def __init__(self, source: str = "cam1", picture_ms: int = PICTURE_MS) -> None:
        """Begin with the first `wake`; `picture_ms` is the time from one picture to the next."""
        self.misreads: dict[str, str] = {}
        self.sure_percent = 97
        self.drop_next = 0
        self.frame = 0
        self._source = source
        self._picture_ms = picture_ms
        self._next_ms = 0
        self._faces: dict[tuple[str, str], None] = {}

    def lay(self, card: str, zone: str) -> None:
        """Lay a card (such as `Td`) face up in a zone."""
        self._faces[card, zone] = None

    def lift(self, card: str, zone: str) -> None:
        """Take it away, turn it down, or hold a hand over it."""
        self._faces.pop((card, zone), None)

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        """It listens to nobody."""
        return self.wake(now_ms)

    def wake(self, now_ms: int) -> bytes:
        """Return the picture that is due, if one is."""
        if now_ms < self._next_ms:
            return b""
        self._next_ms = now_ms + self._picture_ms
        self.frame += 1
        if self.drop_next > 0:
            self.drop_next -= 1
            return b""
        seen = (
            Face(self.misreads.get(card, card), zone, self.sure_percent)
            for card, zone in self._faces
        )
        return picture(tuple(seen), self.frame, now_ms, self._source)

    @property
    def next_ms(self) -> int | None:
        """When the next picture is due."""
        return self._next_ms


def picture(faces: tuple[Face, ...], frame: int, at_ms: int = 0, source: str = "cam1") -> bytes:
    """One picture as it goes over the wire."""
    cards = [
        {"card": face.card, "conf": face.sure_percent / 100, "zone": face.zone, "box": [0, 0, 0, 0]}
        for face in faces
    ]
    said = {"v": 1, "src": source, "t": at_ms, "frame": frame, "cards": cards}
    return msgspec.json.encode(said) + b"\n"
