"""`judge` as other programs call it: files, standard input, order of lines, options."""

from __future__ import annotations

import json
from time import process_time, tzset

import pytest

from daemon.rules.vocabulary import AUDIENCES
from tests.judge.streams import FLOP, Stream, brief, judge, judge_files, last, run

STARTED = '{"at_ms":0,"event":"hand-started","hand":"1","button":1,"seats":[1,2,3]}\n'
CUT = '{"at_ms":1,"event":"deck-shuffled"}\n{"at_ms":2,"event":"deck-cut"}\n'
WRONG_SEAT = '{"at_ms":5,"event":"card-moved","card":"Td","from":"stub","to":"seat:3"}\n'
WRONG = STARTED + CUT + WRONG_SEAT


def premature():
    stream = Stream("t").start().deal()
    stream.act("call", 1, 2).act("check", 3).flop().act("check", 2)
    return stream.burn("8s").board("Td")


def ids(lines):
    return [line["id"] for line in lines]


def test_it_reads_standard_input_and_prints_nothing_but_alert_lines():
    result = run(WRONG)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert [json.loads(line)["v"] for line in result.stdout.splitlines()] == [1]


def test_a_dash_is_standard_input():
    assert run(WRONG, "-").stdout == run(WRONG).stdout


def test_nothing_in_is_nothing_out():
    result = run("")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_the_last_line_needs_no_line_end():
    assert run(WRONG.rstrip("\n")).stdout == run(WRONG).stdout


def test_lines_may_end_as_on_other_systems_and_empty_lines_count_as_lines():
    text = "\r\n\r\n" + WRONG.replace("\n", "\r\n")
    assert last(judge(text))["deal-wrong-first-seat"]["evidence"] == [6]


def test_each_file_starts_anew_and_counts_its_own_lines(tmp_path):
    both = judge_files(tmp_path, premature(), premature())
    first, second = both[: len(both) // 2], both[len(both) // 2 :]
    assert first == second
    assert ids(first) == ids(second)


def test_an_open_hand_does_not_go_on_in_the_next_file(tmp_path):
    whole = premature()
    head, tail = Stream("t"), Stream()
    head.lines, tail.lines = whole.lines[:-1], whole.lines[-1:]
    lines = judge_files(tmp_path, head, tail)
    assert brief(lines) == [("burn-premature", "burn", "raised")]


def test_each_further_table_line_has_a_journal_of_its_own(tmp_path):
    table = '{"event":"table","table":"x"}\n'
    path = tmp_path / "tables.jsonl"
    path.write_text(table + WRONG + table + WRONG + table + WRONG)
    lines = [json.loads(line) for line in run("", files=[path, path]).stdout.splitlines()]
    tail = "1:1:deal-wrong-first-seat:deal"
    once = [f"x:judge:{tail}", f"x:judge-2:{tail}", f"x:judge-3:{tail}"]
    assert ids(lines) == once * 2


def test_without_a_table_line_the_table_is_called_table():
    (line,) = judge(WRONG)
    assert line["table"] == "table"
    assert line["id"] == "table:judge:1:1:deal-wrong-first-seat:deal"
    assert line["at"] is None


def test_a_table_line_begins_anew_and_time_may_start_again():
    text = premature().text() + '{"event":"table","table":"t"}\n' + WRONG
    lines = judge(text)
    assert lines[-1]["id"] == "t:judge-2:1:1:deal-wrong-first-seat:deal"
    assert lines[-1]["at_ms"] == 5
    assert not any(line["final"] for line in lines)


def test_a_table_line_with_a_time_lets_time_start_again_all_the_same():
    text = '{"event":"table","table":"t","at_ms":9000}\n' + WRONG
    assert brief(judge(text)) == [("deal-wrong-first-seat", "deal", "raised")]


def test_nothing_before_a_table_line_counts():
    cut_before = (
        CUT + '{"event":"table","table":"t"}\n' + STARTED + WRONG_SEAT.replace("seat:3", "seat:2")
    )
    assert set(last(judge(cut_before))) == {"cut-skipped"}


@pytest.mark.parametrize(
    ("opened", "at"),
    [
        ("2026-11-29T20:13:31Z", "2026-11-29T20:13:31.005Z"),
        ("2026-12-31T23:59:59Z", "2026-12-31T23:59:59.005Z"),
        ("2026-11-29T21:13:31+01:00", "2026-11-29T20:13:31.005Z"),
    ],
)
def test_at_is_the_opening_plus_at_ms(opened, at):
    (line,) = judge(f'{{"event":"table","table":"t","opened":"{opened}"}}\n' + WRONG)
    assert line["at"] == at


@pytest.fixture
def zone(monkeypatch):
    def set_to(name):
        monkeypatch.setenv("TZ", name)
        tzset()

    yield set_to
    monkeypatch.undo()
    tzset()


@pytest.mark.parametrize("opened", ["2026-03-29T00:55:00Z", "2026-10-25T00:55:00Z"])
def test_the_machines_zone_and_its_summer_time_change_no_byte(opened, zone):
    said = set()
    for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"):
        zone(name)
        text = f'{{"event":"table","table":"t","opened":"{opened}"}}\n'
        said.add(run(text + WRONG + WRONG.replace('"at_ms":', '"at_ms":7200')).stdout)
    assert len(said) == 1
    assert f'"at":"{opened[:14]}' in said.pop()


def test_the_first_bad_line_ends_it_after_what_came_before_was_printed(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(WRONG + "nonsense\n" + WRONG)
    good = tmp_path / "good.jsonl"
    good.write_text(WRONG)
    result = run("", files=[good, bad, good])
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.startswith(f"{bad}:5: ")
    assert len(result.stderr.splitlines()) == 1


def test_alerts_do_not_change_the_exit_status():
    assert run(premature().text()).exit_code == 0


def test_a_file_that_is_not_there_is_named(tmp_path):
    missing = tmp_path / "missing.jsonl"
    result = run("", files=[missing])
    assert result.exit_code == 1
    assert str(missing) in result.stderr


@pytest.mark.parametrize("option", [("--nope",), ("--audience", "everyone")])
def test_wrong_usage_is_status_2(option):
    assert run("", *option).exit_code == 2


@pytest.mark.parametrize("audience", AUDIENCES)
def test_an_audience_sees_only_its_alerts(audience):
    text = premature().text()
    everything = run(text).stdout.splitlines()
    kept = [line for line in everything if json.loads(line)["audience"] == audience]
    assert run(text, "--audience", audience).stdout.splitlines() == kept


def test_all_languages_are_there_unless_some_are_asked_for():
    assert set(judge(WRONG)[0]["text"]) == {"en", "it"}
    assert set(judge(WRONG, "--lang", "it")[0]["text"]) == {"it"}
    assert set(judge(WRONG, "--lang", "it", "--lang", "en")[0]["text"]) == {"en", "it"}


def test_the_language_changes_nothing_but_the_text():
    for one, all_ in zip(judge(premature(), "--lang", "en"), judge(premature()), strict=True):
        assert {**one, "text": None} == {**all_, "text": None}


def test_the_rulebook_may_stand_on_the_command_line_or_in_the_table_line():
    named = '{"event":"table","table":"t","rulebook":"robert-classic"}\n' + WRONG
    assert judge(named)[0]["rulebook"] == "robert-classic"
    assert judge(WRONG, "--rulebook", "robert-classic") == judge(WRONG)


def test_a_rulebook_nobody_knows_in_a_table_line_is_a_bad_line():
    result = run('{"event":"table","table":"t","rulebook":"nope"}\n' + WRONG)
    assert result.exit_code == 1
    assert result.stderr.startswith("stdin:1: rulebook: ")


def test_output_is_a_function_of_the_input_alone():
    assert run(premature().text()).stdout == run(premature().text()).stdout


def test_the_end_of_input_fires_no_deadline_and_ends_nothing():
    stream = Stream("t").start().deal().pitch(2)
    assert judge(stream) == []
    assert not any(line["final"] for line in judge(premature()))


def test_within_one_event_new_alerts_come_first_then_updates():
    lines = judge(premature())
    at_the_card = [line for line in lines if line["known_ms"] > lines[0]["known_ms"]] + [lines[-1]]
    assert [line["revision"] for line in at_the_card] == [1, 2]


def test_a_line_differs_from_the_last_of_its_alert_in_more_than_revision_and_evidence():
    stream = premature().move("Td", "aside").act("check", 3, 1).burn("4h").board("Jc")
    seen = {}
    for line in judge(stream):
        facts = {key: line[key] for key in line if key not in ("revision", "evidence")}
        assert seen.get(line["id"]) != facts
        seen[line["id"]] = facts


def test_the_first_line_is_always_raised_and_revisions_count_up():
    stream = premature().move("Td", "aside").act("fold", 3, 1).say("pot-pushed", seats=[2]).end()
    revisions = {}
    for line in judge(stream):
        before = revisions.get(line["id"], 0)
        assert line["revision"] == before + 1
        assert before or line["state"] == "raised"
        revisions[line["id"]] = line["revision"]


def test_raised_and_remedied_at_once_is_two_lines():
    stream = Stream("t").start().deal().act("call", 1, 2).act("check", 3)
    stream.burn().board(*FLOP, "Kd", face="down").move("Kd", "stub")
    assert brief(judge(stream)) == [
        ("flop-overcount", "flop", "raised"),
        ("flop-overcount", "flop", "remedied"),
    ]


@pytest.mark.parametrize("every_ms", [1, 97, 250])
def test_ticks_change_nothing(every_ms):
    told = premature().move("Td", "aside").act("fold", 3, 1).wait(20_000)
    told.say("pot-pushed", seats=[2]).end()
    ticked = Stream()
    now_ms = 0
    for line in told.lines:
        at_ms = line.get("at_ms", 0)
        ticked.lines += [
            {"event": "tick", "at_ms": ms} for ms in range(now_ms, at_ms, every_ms)[-400:]
        ]
        ticked.lines.append(line)
        now_ms = at_ms

    def facts(stream):
        return [{**line, "evidence": None} for line in judge(stream)]

    assert facts(ticked) == facts(told)


@pytest.mark.parametrize("before", ["", STARTED])
def test_a_stream_of_any_length_takes_as_long_as_it_is_long(before):
    def seconds(count):
        lines = [
            f'{{"at_ms":{n},"event":"card-moved","card":"?{n}","from":"stub","to":"seat:2"}}\n'
            for n in range(1, count)
        ]
        start = process_time()
        assert run(before + "".join(lines)).exit_code == 0
        return process_time() - start

    assert seconds(16_000) < 16 * seconds(2_000) + 1
