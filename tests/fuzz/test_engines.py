"""The engines of `make fuzz`: which one runs and says so, and what the guided one tries."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import guided
from tests.fuzz.__main__ import chosen
from tests.fuzz.frames import ROWS, frames, repeatable
from tests.fuzz.guided import Ended, case, changed, summary
from tests.fuzz.laws import must_hold
from tests.fuzz.mutations import spoilt

ROOT = Path(__file__).parents[2]
NAMES = pytest.mark.parametrize("name", ROWS)
# Of a run of libFuzzer's, cut short.
SAID = """\
INFO: seed corpus: files: 4 min: 9b max: 34b total: 77b rss: 42Mb
#5	INITED cov: 114 ft: 260 corp: 4/77b exec/s: 0 rss: 43Mb
#3781	NEW    cov: 127 ft: 679 corp: 131/45Kb lim: 1500 exec/s: 756 rss: 47Mb
#3889	DONE   cov: 127 ft: 689 corp: 133/46Kb lim: 1500 exec/s: 648 rss: 47Mb
Done 3889 runs in 6 second(s)
stat::number_of_executed_units: 3889
"""


@NAMES
def test_the_same_bytes_are_always_the_same_case_and_nothing_of_them_is_left_out(name):
    for said in (b"", *frames(name), *spoilt(frames(name), Random(name))):
        chunks, good = case(name, said)
        assert b"".join(chunks) == said
        assert good in repeatable(name)
        assert case(name, said) == (chunks, good)
        must_hold(ROWS[name], chunks, good, Random(said))


def test_frames_are_spoilt_as_the_engine_does_it_and_as_lines_do_and_never_too_long():
    said = frames("pn532")[0]
    made = [changed("pn532", said, 40, seed, lambda _said, _max: b"its own") for seed in range(99)]
    assert 20 < made.count(b"its own") < 80
    assert len(set(made)) > 20
    assert max(map(len, made)) <= 40


def test_what_it_says_of_a_run_is_put_into_a_line():
    line = "   3889 cases, 127 branches reached (114 by the frames alone), 133 inputs kept"
    assert summary(SAID) == line
    assert summary("") == "      0 cases, 0 branches reached (0 by the frames alone), 0 inputs kept"


def test_bytes_that_break_a_law_are_told_as_few_as_show_it(monkeypatch, capsys):
    class Brittle:
        def feed(self, data):
            assert b"\xee" not in data
            return []

    row = ROWS["pn532"]
    good = repeatable("pn532")
    monkeypatch.setitem(ROWS, "pn532", type(row)(name="pn532", title="", decoder=Brittle))
    monkeypatch.setattr(guided, "repeatable", lambda _name: good)
    assert guided._told("pn532", Ended(77, SAID, b"stray \xee bytes")) is False
    said = capsys.readouterr().err
    assert "AssertionError" in said
    assert "  ee\n" in said


def test_a_run_that_ended_by_itself_is_told_with_its_own_last_words(capsys):
    assert guided._told("pn532", Ended(71, "==1== ERROR: libFuzzer: out-of-memory", b"")) is False
    assert "out-of-memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "is_there", "runs"),
    [
        (None, True, "atheris"),
        ("atheris", True, "atheris"),
        ("own", True, "own"),
        (None, False, "own"),
        ("own", False, "own"),
    ],
)
def test_the_engine_that_runs_is_named_and_why_it_is_not_the_other(asked, is_there, runs):
    name, said = chosen(asked, is_there=is_there)
    assert name == runs
    assert said.startswith(f"engine {runs}: ")
    assert ("no atheris for Python 3." in said) is not is_there


def test_an_engine_that_is_not_there_is_refused_with_where_it_stands():
    with pytest.raises(ValueError, match=r"no atheris for Python 3.*requirements/fuzz\.txt"):
        chosen("atheris", is_there=False)


def test_its_lock_has_a_hash_for_every_wheel_and_names_no_index():
    text = (ROOT / "requirements" / "fuzz.txt").read_text("utf-8")
    assert re.findall(r"^atheris==3\.", text, re.MULTILINE)
    assert "--hash=sha256:" in text
    assert "://" not in text
    assert "make fuzz" in (ROOT / "Makefile").read_text("utf-8")
