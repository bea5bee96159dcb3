from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.rules.vocabulary import IDS
from daemon.table.events import Betting, HandStarted, read, write
from tests.hands.judged import found_at
from tests.scenario import ScenarioError, play, read_cases

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))
RULES = [path for path in SCENARIOS if path.stem in IDS]
CASES = [case for path in SCENARIOS for case in read_cases(path)]


def _named(case):
    return f"{case.path.stem}: {case.title}"


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_a_scenario_is_a_well_formed_stream(case):
    stream = play(case)
    assert any(isinstance(event, HandStarted) for event in stream)
    assert all(read(write(event)) == event for event in stream)
    times = [event.at_ms for event in stream]
    assert times == sorted(times)


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_a_scenario_finds_what_it_states_and_nothing_else(case):
    alerts = found_at(play(case), case.rulebook, tuple(case.house.items())).values()
    seen = Counter(map(_find, alerts))
    assert seen == Counter(case.finds), f"{case.path}:{case.line}"
    for at, trait, value in case.traits:
        told = {_trait(alert, trait) for alert in alerts if _find(alert) == case.finds[at]}
        assert value in told, f"{case.path}:{case.line}: {trait}"


@pytest.mark.parametrize("known", [Betting("acts", "dealer"), Betting("none")], ids=str)
def test_what_is_lawful_calls_no_floor_whoever_tells_of_the_betting(known):
    called = {}
    for case in CASES:
        if not case.quiet or any(step.verb in ("betting", "misdeal") for step in case.steps):
            continue  # whether a misdeal is in time only acts tell
        began, *events = play(case)
        told = found_at([replace(began, betting=known), *events], case.rulebook,
                        tuple(case.house.items())).values()  # fmt: skip
        floor = [a.irregularity for a in told if (a.audience, a.state) == ("floor", "raised")]
        if floor:
            called[_named(case)] = floor
    assert called == {}


def _find(alert):
    return (alert.irregularity, alert.subject, _end(alert))


def _trait(alert, name):
    if name == "doubt":
        return alert.doubt["instead"] if alert.doubt else "none"
    return getattr(alert, name)


def _end(alert):
    return "self-corrected" if alert.self_corrected is True else alert.state


def test_a_scenario_file_is_named_after_its_rule_or_holds_floor_cases():
    names = {path.stem for path in SCENARIOS} - {path.stem for path in RULES}
    assert all(name.startswith("floor-cases-") for name in names), names


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_every_rule_has_a_case_that_finds_it_and_a_near_miss(path):
    finds = [path.stem in {name for name, _, _ in case.finds} for case in read_cases(path)]
    assert True in finds
    assert False in finds


def test_an_unknown_verb_is_refused_with_file_and_line(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("# a rule\ncase odd\ndeal 3\njuggle 7c\nquiet\n")
    with pytest.raises(ScenarioError, match=r"odd\.txt:4: no such verb: juggle 7c"):
        play(read_cases(path)[0])


def test_a_case_that_states_nothing_is_refused(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("case odd\ndeal 3\n")
    with pytest.raises(ScenarioError, match=r"odd\.txt:1: a case finds something or is quiet"):
        read_cases(path)
