"""The camera: its pictures in any cut and behind any dirt, what it refuses, and the camera itself.

No real camera speaks this layout yet: the lines here are those of our own proposal.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.table.cards import DECK
from drivers.camera import CARDS_MAX, DRIVER, GARBLED_BYTES_MAX, LINE_BYTES_MAX, Camera
from drivers.catalog import DRIVERS
from drivers.readings import Beat, Face, FacesSeen, Garbled, Reading
from drivers.simulated.camera import PICTURE_MS, SimulatedCamera, picture
from tests.drivers.wires import bytewise, heard, news

PROPOSED = (
    b'{"v":1,"src":"cam1","t":51200,"frame":512,"cards":'
    b'[{"card":"As","conf":0.97,"zone":"board","box":[412,220,61,88]}]}\n'
)
ACE = FacesSeen((Face("As", "board", 97),))
EMPTY = b'{"v":1,"cards":[]}\n'
NOTHING = FacesSeen(())

ZONES = st.sampled_from(("board", "seat:4", "seat:10", "burn", "aside", "muck", "elsewhere"))
FACES = st.builds(Face, st.sampled_from(DECK), ZONES, st.integers(0, 100))
PICTURES = st.lists(FACES, max_size=6).map(tuple)
DIRT = st.one_of(
    st.binary(max_size=300),
    st.text('{}[]",:v1cards\\ \r\n', max_size=80).map(str.encode),
    st.integers(0, len(PROPOSED) - 1).map(lambda n: PROPOSED[:n]),
    st.integers(0, LINE_BYTES_MAX + 900).map(lambda n: b"\xff" * n),
)


def read(*chunks: bytes) -> list[Reading]:
    return heard(DRIVER.decoder(), *chunks)


def cut_up(stream: bytes, cuts: list[int]) -> list[bytes]:
    at = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    return [stream[first:last] for first, last in pairwise(at)]


def numbered(pictures: list[tuple[Face, ...]]) -> list[bytes]:
    return [picture(faces, frame) for frame, faces in enumerate(pictures)]


def test_the_proposed_line_is_a_face_and_an_empty_one_is_a_picture_too():
    assert read(PROPOSED, EMPTY) == [ACE, NOTHING]
    assert read(*bytewise(PROPOSED + EMPTY)) == [ACE, NOTHING]


@given(st.lists(PICTURES, max_size=5), st.lists(st.integers(0, 3000), max_size=9))
def test_pictures_are_read_in_any_cut(pictures, cuts):
    stream = b"".join(numbered(pictures))
    assert read(*cut_up(stream, cuts)) == [FacesSeen(faces) for faces in pictures]


@given(st.lists(DIRT | PICTURES, max_size=6), st.lists(st.integers(0, 20_000), max_size=12))
def test_a_stream_says_the_same_in_any_cut(pieces, cuts):
    stream = b"".join(picture(one, 7) if isinstance(one, tuple) else one for one in pieces)
    assert read(*cut_up(stream, cuts)) == read(stream)


@given(st.lists(DIRT, max_size=4), PICTURES, st.lists(DIRT, max_size=4))
def test_a_picture_is_read_whatever_came_before_and_comes_after(before, faces, after):
    stream = b"".join(before) + picture(faces, 512) + b"".join(after)
    assert FacesSeen(faces) in read(stream)


@given(st.integers(1, len(PROPOSED) - 1), PICTURES)
def test_a_picture_behind_one_that_was_cut_off_is_read(cut, faces):
    assert news(read(PROPOSED[:cut] + picture(faces, 513)))[-1] == FacesSeen(faces)


@given(st.binary(max_size=3000))
def test_no_bytes_are_a_face_that_was_not_said(noise):
    assert not [seen for seen in news(read(noise, b"\n")) if seen != NOTHING]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"v":2,"cards":[]}', "unknown version"),
        (b'{"v":2,"pictures":"of another kind"}', "unknown version"),
        (b'{"cards":[]}', "bad field"),
        (b'{"v":1}', "bad field"),
        (b'{"v":"1","cards":[]}', "bad field"),
        (b'{"v":1.5,"cards":[]}', "bad field"),
        (b'{"v":1,"cards":{}}', "bad field"),
        (b'{"v":1,"cards":[{"card":"As","conf":1.2,"zone":"board"}]}', "bad field"),
        (b'{"v":1,"cards":[{"card":"As","conf":-1,"zone":"board"}]}', "bad field"),
        (b'{"v":1,"cards":[{"card":"As","zone":"board"}]}', "bad field"),
        (b'{"v":1,"cards":[{"card":7,"conf":1,"zone":"board"}]}', "bad field"),
        (b'{"v":1,"frame":"a","cards":[]}', "bad field"),
        (b"[]", "bad field"),
        (b'{"v":1,"cards":[]', "no picture"),
        (b'{"v":1,"cards":[{"card":"As","conf":NaN,"zone":"board"}]}', "no picture"),
        (b"[" * 4000, "bad field"),
        (b'{"x":' + b'{"y":' * 1500, "no picture"),
        (b'{"v":1,"cards":[{"card":"As","conf":1,"zone":"\xff"}]}', "no picture"),
    ],
)
def test_a_line_that_is_no_picture_of_this_version_is_refused_whole(line, reason):
    garbled, *more = read(line + b"\n" + PROPOSED)
    assert isinstance(garbled, Garbled)
    assert garbled.reason == reason
    assert len(garbled.data) <= GARBLED_BYTES_MAX
    assert more == [ACE]


def test_fields_that_nobody_knows_change_nothing():
    card = b'{"card":"As","zone":"board","conf":1,"face":"up"}'
    line = b'{"later":[{"v":2}],"v":1,"cards":[%b]}\n' % card
    assert read(line) == [FacesSeen((Face("As", "board", 100),))]


@pytest.mark.parametrize("card", ["joker", "back", "10s", "as", "1s", "", "Asx"])
def test_what_is_no_card_of_a_deck_is_passed_over_and_the_others_are_seen(card):
    line = PROPOSED.replace(b"[{", b'[{"card":"%b","conf":1,"zone":"board"},{' % card.encode())
    assert read(line) == [ACE]


def test_a_gap_in_the_numbers_is_no_fault_and_the_same_picture_again_is_no_second_look():
    later = PROPOSED.replace(b'"frame":512', b'"frame":9000')
    assert read(PROPOSED, later, later, PROPOSED) == [ACE, ACE, Beat(), ACE]


def test_pictures_without_a_number_all_count():
    assert read(EMPTY, EMPTY) == [NOTHING, NOTHING]


def test_a_deck_in_one_picture_fits_into_a_line_and_more_faces_are_refused():
    deck = tuple(Face(card, "seat:10", 97) for card in DECK)
    assert len(picture(deck, 1 << 40, 1 << 40)) <= LINE_BYTES_MAX
    assert read(picture(deck, 1)) == [FacesSeen(deck)]
    (garbled,) = read(picture((deck[0],) * (CARDS_MAX + 1), 2))
    assert isinstance(garbled, Garbled)


@pytest.mark.parametrize("noise", [b"x", b'{"v":', b'{"v":1,"cards":[', b"{", b'"'])
def test_a_flood_without_an_end_of_line_stays_bounded(noise):
    decoder = Camera()
    for _ in range(200):
        heard(decoder, noise * 1000)
        assert len(decoder._pending) <= LINE_BYTES_MAX
    assert news(decoder.feed(PROPOSED))[-1] == ACE


def test_the_camera_stands_in_the_catalogue():
    assert DRIVERS.count(DRIVER) == 1


def test_a_camera_says_what_lies_face_up_five_times_a_second():
    camera, decoder = SimulatedCamera(), Camera()
    assert decoder.feed(camera.wake(0)) == [NOTHING]
    camera.lay("As", "board")
    assert camera.wake(100) == b""
    assert decoder.feed(camera.wake(PICTURE_MS)) == [ACE]
    camera.misreads["As"] = "Ks"
    camera.drop_next = 1
    assert camera.wake(2 * PICTURE_MS) == b""
    taken_for = FacesSeen((Face("Ks", "board", 97),))
    assert decoder.feed(camera.hear(b"hello\n", 3 * PICTURE_MS)) == [taken_for]
    camera.lift("As", "board")
    assert camera.next_ms == 4 * PICTURE_MS
    assert decoder.feed(camera.wake(4 * PICTURE_MS)) == [NOTHING]
