"""The past: alerts, reports and their files, the audit; each role its own, dealers by leave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import msgspec

from daemon.floor.history.asking import Question
from daemon.floor.report.made import Reports, Wanted
from daemon.floor.report.shift import Progress
from daemon.floor.web import exports
from tests.floor import said
from tests.floor.web.side import Floorside, Visitor, asked_until, opened, until

LONG_AGO = {"from": "2026-01-01T00:00:00Z", "to": "2026-12-31T00:00:00Z"}


class Slow(Reports):
    """Reports that are made only as fast as the test lets them be."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = 0
        self.ended: list[str] = []

    def figures(self, question: Question, language: str) -> dict[str, Any]:
        return {"role": question.role, "language": language}

    def write(self, question: Question, wanted: Wanted, to: IO[bytes], progress: Progress) -> None:
        del question, wanted
        self.begun += 1
        try:
            for done in range(1000):
                progress(done, 1000)
                to.write(b"x" * 1000)
                if done == 500:
                    self.go.wait(60)
        except exports.Stopped:
            self.ended.append("stopped")
            raise
        self.ended.append("whole")


async def remembered(side: Floorside, visitor: Visitor, count: int) -> list[dict[str, Any]]:
    """The history once the alerts are in it."""
    found = await asked_until(
        lambda: visitor.get("/api/history", params=LONG_AGO),
        lambda told: len(told["alerts"]) >= count,
    )
    return list(found["alerts"])


def tell(side: Floorside, *alerts: dict[str, Any]) -> None:
    for alert in alerts:
        for audience in dict.fromkeys((alert["audience"], "surveillance")):
            side.heard(said.topic("log", audience), msgspec.json.encode(alert))


async def test_each_role_reads_the_history_of_its_own_alerts(side: Floorside) -> None:
    tell(side, said.alert(1), said.alert(2, audience="maintenance"))
    tell(side, said.alert(3, audience="surveillance"))
    expected = {"supervise": 1, "maintain": 1, "surveillance": 3, "administer": 2}
    for role, count in expected.items():
        assert len(await remembered(side, await side.signed_in(role), count)) == count


async def test_the_history_goes_on_where_a_page_ends(side: Floorside) -> None:
    tell(side, *(said.alert(number) for number in range(7)))
    visitor = await side.signed_in("supervise")
    every = [one["alert"] for one in await remembered(side, visitor, 7)]
    found: list[str] = []
    after = None
    while True:
        asked = LONG_AGO | {"limit": "3"} | ({"after": after} if after else {})
        page = (await visitor.get("/api/history", params=asked)).json()
        found += [one["alert"] for one in page["alerts"]]
        after = page["next"]
        if after is None:
            break
    assert found == every


async def test_the_report_is_of_the_last_eight_hours_unless_asked(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    report = (await visitor.get("/api/report")).json()
    since, until_ = (datetime.fromisoformat(report[key]) for key in ("from", "to"))
    assert until_ - since == timedelta(hours=8)
    assert abs(datetime.now(UTC) - until_) < timedelta(minutes=5)
    too_long = {"from": "2020-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}
    answer = await visitor.get("/api/report", params=too_long)
    assert (answer.status_code, answer.json()["error"]) == (400, "period")


async def test_what_can_be_asked_by_name_is_offered_in_the_readers_language(
    side: Floorside,
) -> None:
    text = {"en": {"title": "Sensor gone"}, "it": {"title": "Sensore assente"}}
    tell(side, said.alert(1), said.alert(2, audience="maintenance", irregularity="gone", text=text))
    head, floor = await side.signed_in("administer"), await side.signed_in("supervise")
    await remembered(side, head, 2)
    await head.post("/api/me", {"language": "it"})
    told = (await head.get("/api/known")).json()
    assert told["tables"] == ["poker-1"]
    assert [one["title"] for one in told["irregularities"]] == ["Sensore assente", "Turn too early"]
    (one,) = (await floor.get("/api/known")).json()["irregularities"]
    assert one == {"irregularity": "turn-premature", "title": "Turn too early"}
    assert (await (await side.signed_in("wall")).get("/api/known")).status_code == 403


async def test_part_of_a_title_or_of_a_tables_name_suffices(side: Floorside) -> None:
    tell(side, said.alert(1), said.alert(2, irregularity="turn-no-burn"))
    visitor = await side.signed_in("supervise")
    await remembered(side, visitor, 2)
    for asked, count in (
        ({"irregularity": "TOO EARLY"}, 2), ({"irregularity": "turn-no-burn"}, 1),
        ({"irregularity": "no-burn"}, 1), ({"table": "KER-1"}, 2), ({"table": "poker-1"}, 2),
    ):  # fmt: skip
        answer = (await visitor.get("/api/history", params=LONG_AGO | asked)).json()
        assert len(answer["alerts"]) == count, asked


async def test_a_name_that_nothing_has_is_refused_with_those_that_there_are(
    side: Floorside,
) -> None:
    visitor = await side.signed_in("supervise")
    empty = (await visitor.get("/api/report?table=poker-1")).json()
    assert "there is nothing in the history yet" in empty["words"]
    tell(side, said.alert(1))
    await remembered(side, visitor, 1)
    for path in ("/api/history", "/api/report"):
        answer = await visitor.get(path, params={"table": "no<b>pe", "site": "elsewhere"})
        assert (answer.status_code, answer.json()["error"]) == (400, "unknown-name")
        assert answer.json()["wrong"] == [
            {"field": "site", "words": "site: nothing is known of “elsewhere”. Known: house"},
            {"field": "table", "words": "Table: nothing is known of “no<b>pe”. Known: poker-1"},
        ]
    sent = {"format": "csv", "table": "nope"}
    assert (await visitor.post("/api/exports", sent)).json()["error"] == "unknown-name"
    answer = await visitor.get("/api/history?irregularity=pair+of+jacks")
    assert "Known: Turn too early" in answer.json()["words"]


async def test_a_time_that_is_none_is_refused_and_its_field_is_named(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    asked = {"from": "garbage", "to": "2026-11-30T18:00", "slower_s": "soon"}
    answers = [
        await visitor.get("/api/history", params=asked),
        await visitor.get("/api/report", params=asked),
        await visitor.post("/api/exports", {"format": "csv"} | asked),
    ]
    for answer in answers:
        told = answer.json()
        assert (answer.status_code, told["error"]) == (400, "malformed")
        fields = {one["field"]: one["words"] for one in told["wrong"]}
        assert fields["from"].startswith("From: “garbage” is no moment")
        assert fields["to"].startswith("Until: “2026-11-30T18:00” is no moment")
        assert told["words"].startswith(fields["from"])
    assert [one["field"] for one in answers[0].json()["wrong"]] == ["from", "to", "slower_s"]
    await visitor.post("/api/me", {"language": "it"})
    assert (
        "Dalle: “garbage” non è un momento"
        in (await visitor.get("/api/history", params=asked)).json()["words"]
    )


async def test_a_time_that_ends_before_it_begins_is_refused_everywhere(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    asked = {"from": LONG_AGO["to"], "to": LONG_AGO["from"]}
    for answer in (
        await visitor.get("/api/history", params=asked),
        await visitor.get("/api/report", params=asked),
        await visitor.post("/api/exports", {"format": "csv"} | asked),
        await visitor.get("/api/history", params={"from": "2999-01-01T00:00:00Z"}),
    ):
        assert (answer.status_code, answer.json()["error"]) == (400, "period")
        assert [one["field"] for one in answer.json()["wrong"]] == ["from"]


async def test_of_what_was_sent_no_secret_is_repeated(side: Floorside) -> None:
    head = await side.signed_in("administer")
    answer = await head.post("/api/people", {"login": "a secret!", "name": "", "role": "king"})
    assert [one["field"] for one in answer.json()["wrong"]] == ["login", "name", "role"]
    assert "secret" not in answer.text


async def test_what_nobody_acknowledged_is_asked_for_alone(side: Floorside) -> None:
    taken = {"by": "Anna Rossi", "at": "2026-12-01T20:00:03.000Z"}
    tell(side, said.alert(1), said.alert(2, acknowledged=taken))
    visitor = await side.signed_in("supervise")
    await remembered(side, visitor, 2)
    (one,) = (await visitor.get("/api/history?slower_s=never")).json()["alerts"]
    assert one["acknowledged_by"] is None
    assert len((await visitor.get("/api/history?slower_s=0")).json()["alerts"]) == 2


async def test_only_administrators_where_the_house_allows_it_ask_about_dealers(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, dealers=True) as side:
        tell(side, said.alert(1, dealer="d-7"), said.alert(2, dealer="d-8"))
        head, visitor = await side.signed_in("administer"), await side.signed_in("supervise")
        await remembered(side, head, 2)
        asked = LONG_AGO | {"dealer": "d-7"}
        (one,) = (await head.get("/api/history", params=asked)).json()["alerts"]
        assert one["dealer"] == "d-7"
        assert (await head.get("/api/report", params=asked)).json()["alerts"] == 1
        for path in ("/api/history", "/api/report"):
            answer = await visitor.get(path, params=asked)
            assert (answer.status_code, answer.json()["error"]) == (403, "no-dealers")
        assert all(one["dealer"] is None for one in await remembered(side, visitor, 2))
        assert ("administer", "dealer", "d-7", "looked at") in side.audited()


async def test_a_house_that_says_nothing_of_dealers_says_it_to_nobody(side: Floorside) -> None:
    head = await side.signed_in("administer")
    answer = await head.get("/api/history", params={"dealer": "d-7"})
    assert answer.status_code == 403


async def test_every_figure_of_a_report_leads_to_the_alerts_that_it_is_made_of(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, dealers=True) as side:
        tell(side, *a_shift())
        head = await side.signed_in("administer")
        await remembered(side, head, 6)
        asked = LONG_AGO | {"table": "poker"}
        report = (await head.get("/api/report", params=asked)).json()
        ruled, links = report["verdicts"], report["links"]
        expected = {
            links["alerts"]: report["alerts"],
            links["unanswered"]: report["acknowledged"]["unanswered"],
            **{links[name]: ruled[name] for name in ("upheld", "none", "other")},
            **{links[f"severity.{name}"]: count for name, count in report["severities"].items()},
            **{one["history"]: one["alerts"] for one in report["irregularities"]},
            **{one["history"]: one["alerts"] for one in report["tables"]},
            **{one["history"]: one["alerts"] for one in report["dealers"]},
            links["worst"]: 1 + report["acknowledged"]["unanswered"],
            links["median"]: 2 + report["acknowledged"]["unanswered"],
        }
        assert len(expected) == 15
        for address, count in expected.items():
            found = (await head.get(f"/api{address}")).json()
            assert len(found["alerts"]) == count, address


async def test_what_somebody_did_is_asked_by_surveillance_alone(side: Floorside) -> None:
    tell(side, *a_shift())
    watch, head = await side.signed_in("surveillance"), await side.signed_in("administer")
    await remembered(side, watch, 6)
    report = (await watch.get("/api/report", params=LONG_AGO)).json()
    (anna,) = report["people"]
    found = (await watch.get(f"/api{anna['history']}")).json()["alerts"]
    assert len(found) == anna["acknowledged"] == 3
    for path in ("/api/history", "/api/report"):
        answer = await head.get(path, params={"by": "Anna"})
        assert (answer.status_code, answer.json()["error"]) == (403, "not-allowed")


async def test_report_and_files_are_of_what_the_history_is_asked_for(side: Floorside) -> None:
    tell(side, *a_shift())
    visitor = await side.signed_in("supervise")
    await remembered(side, visitor, 6)
    asked = LONG_AGO | {"irregularity": "too early", "slower_s": "never", "severity": "high"}
    found = (await visitor.get("/api/history", params=asked)).json()["alerts"]
    assert (await visitor.get("/api/report", params=asked)).json()["alerts"] == len(found) == 3
    state = await made(visitor, format="csv", **asked | {"from": "1971-01-01T00:00:00Z"})
    sheet = (await visitor.get(state["file"])).content.decode("utf-8-sig")
    assert len(sheet.splitlines()) == 1 + 3
    state = await made(visitor, format="pdf", **asked)
    assert (await visitor.get(state["file"])).content.startswith(b"%PDF")


def a_shift() -> Iterator[dict[str, Any]]:
    """Six alerts: three that were acknowledged, after 2, 5 and 61 seconds; two that were closed."""
    for number, (after_s, more) in enumerate((
        (2, {"severity": "critical", "dealer": "d-7"}), (5, {"irregularity": "turn-no-burn"}),
        (61, {}), (None, {"verdict": "none"}), (None, {"verdict": "upheld", "dealer": "d-7"}),
        (None, {}),
    )):  # fmt: skip
        taken = after_s and {
            "by": "Anna",
            "at": f"2026-12-01T20:0{after_s // 60}:{after_s % 60:02}Z",
        }
        yield said.alert(number, at="2026-12-01T20:00:00.000Z", acknowledged=taken or None, **more)


async def made(visitor: Visitor, **asked: str) -> dict[str, Any]:
    """An export that is ready."""
    begun = (await visitor.post("/api/exports", asked)).json()
    here = f"/api/exports/{begun['id']}"
    return dict(
        await asked_until(lambda: visitor.get(here), lambda told: told["state"] != "making")
    )


async def test_a_report_is_had_as_sheet_page_and_chart(side: Floorside) -> None:
    tell(side, said.alert(1))
    visitor = await side.signed_in("supervise")
    await remembered(side, visitor, 1)
    for form, begins in (("csv", "\ufeff".encode()), ("pdf", b"%PDF-"), ("svg", b"<svg")):
        state = await made(visitor, format=form, table="poker-1", **LONG_AGO)
        assert state["state"] == "ready", form
        file = await visitor.get(state["file"])
        assert file.content.startswith(begins)
        assert file.headers["content-disposition"].startswith("attachment")
        assert int(file.headers["content-length"]) == len(file.content)
        assert (await visitor.delete(f"/api/exports/{state['id']}")).json() == {"ok": True}
    assert len(side.web.exports) == 0
    audited = [line[1:] for line in side.audited()]
    period = "2026-01-01T00:00:00.000Z - 2026-12-31T00:00:00.000Z"
    assert ("export", f"pdf {period} table=poker-1", "begun") in audited
    assert ("export", "pdf", "fetched") in audited


async def test_a_file_on_its_way_tells_how_far_it_is_and_is_its_owners_alone(
    tmp_path: Path,
) -> None:
    slow = Slow()
    async with opened(tmp_path, reports=slow) as side:
        visitor, other = await side.signed_in("supervise"), await side.signed_in("supervise")
        state = (await visitor.post("/api/exports", {"format": "csv"})).json()
        here = f"/api/exports/{state['id']}"
        told = await asked_until(lambda: visitor.get(here), lambda told: told["done"] == 500)
        assert (told["state"], told["of"], told["file"]) == ("making", 1000, None)
        assert (await visitor.get(f"{here}/file")).json()["error"] == "not-ready"
        for path in (here, f"{here}/file"):
            assert (await other.get(path)).status_code == 404
        assert (await other.delete(here)).status_code == 404
        slow.go.set()
        await asked_until(lambda: visitor.get(here), lambda told: told["state"] == "ready")
        assert len((await visitor.get(f"{here}/file")).content) == 1_000_000


async def test_a_file_nobody_wants_any_more_is_made_no_further(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, reports=slow) as side:
        visitor = await side.signed_in("supervise")
        first, second = [await visitor.post("/api/exports", {"format": "csv"}) for _ in range(2)]
        await until(lambda: slow.begun == 2)
        await visitor.delete(f"/api/exports/{first.json()['id']}")
        await visitor.form("/logout", {})
        slow.go.set()
        await until(lambda: slow.ended == ["stopped", "stopped"])
        assert len(side.web.exports) == 0
        assert second.json()["state"] == "making"


async def test_too_many_files_at_once_are_refused_in_words(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, reports=slow) as side:
        visitor = await side.signed_in("supervise")
        answers = [await visitor.post("/api/exports", {"format": "csv"}) for _ in range(4)]
        assert [each.status_code for each in answers] == [200, 200, 200, 429]
        assert answers[-1].json()["error"] == "too-many"
        slow.go.set()


async def test_the_audit_is_read_page_by_page(side: Floorside) -> None:
    for _ in range(3):
        await side.visitor().sign_in("supervise", "no")
    watch = await side.signed_in("surveillance")
    await asked_until(lambda: watch.get("/api/audit"), lambda told: len(told["rows"]) == 3)
    page = (await watch.get("/api/audit?limit=2")).json()
    assert [row["what"] for row in page["rows"]] == ["login", "login"]
    rest = (await watch.get(f"/api/audit?limit=2&before={page['next']}")).json()
    assert (len(rest["rows"]), rest["next"]) == (1, None)


async def test_a_history_that_does_not_answer_is_told_in_words(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    with away(side):
        answer = await visitor.get("/api/history")
        assert (answer.status_code, answer.json()["error"]) == (503, "history")
        assert (await visitor.get("/floor")).status_code == 200
        assert (await side.visitor().sign_in("supervise")).status_code == 503
        assert (await visitor.post("/api/me", {"theme": "dark"})).status_code == 503
        await visitor.form("/logout", {})  # ended all the same
        assert (await visitor.get("/api/me")).status_code == 401
    assert (await side.visitor().sign_in("supervise")).status_code == 303


@contextmanager
def away(side: Floorside) -> Iterator[None]:
    """As long as that the database cannot be had."""
    side.database.close()
    path = Path(str(side.database.url.database))
    path.rename(path.with_suffix(".away"))
    path.mkdir()
    try:
        yield
    finally:
        path.rmdir()
        path.with_suffix(".away").rename(path)
