"""Who may sign in, as administrators turn it; a password is shown once, a deed is written down."""

from __future__ import annotations

import pytest

from tests.floor.web.side import Floorside
from tests.floor.web.test_live import listening
from tests.floor.web.test_past import away


async def test_a_new_person_signs_in_with_the_password_that_was_shown_once(
    side: Floorside,
) -> None:
    head = await side.signed_in("administer")
    sent = {"login": "mara", "name": "Mara Rossi", "role": "supervise"}
    made = (await head.post("/api/people", sent)).json()
    assert made["person"] | sent == made["person"]
    visitor = side.visitor()
    assert (await visitor.sign_in("mara", made["password"])).headers["location"] == "/password"
    listed = await head.get("/api/people")
    assert made["password"] not in listed.text
    (mara,) = [one for one in listed.json()["people"] if one["login"] == "mara"]
    assert (mara["sessions"], mara["must_change"]) == (1, True)
    assert mara["last_seen"] is not None
    assert made["password"] not in str(side.audited())


@pytest.mark.parametrize(
    ("sent", "status", "error"),
    [
        ({"login": "supervise", "name": "x", "role": "wall"}, 409, "taken"),
        ({"login": "Mara", "name": "x", "role": "wall"}, 400, "malformed"),
        ({"login": "mara\n", "name": "x", "role": "wall"}, 400, "malformed"),
        ({"login": "mara", "name": " ", "role": "wall"}, 400, "malformed"),
        ({"login": "mara", "name": "a\u202eb", "role": "wall"}, 400, "malformed"),
        ({"login": "mara", "name": "x", "role": "owner"}, 400, "malformed"),
        ({"login": "mara", "name": "\u3164", "role": "wall"}, 400, "malformed"),
        ({"login": "mara", "name": " sUpervise", "role": "wall"}, 409, "name-taken"),
    ],
)
async def test_a_person_who_cannot_be_is_refused(
    side: Floorside, sent: dict[str, str], status: int, error: str
) -> None:
    head = await side.signed_in("administer")
    answer = await head.post("/api/people", sent)
    assert (answer.status_code, answer.json()["error"]) == (status, error)


async def test_a_reset_password_lets_its_owner_in_and_nobody_else(side: Floorside) -> None:
    head, visitor = await side.signed_in("administer"), await side.signed_in("supervise")
    made = (await head.post("/api/people/reset", {"login": "supervise"})).json()
    assert (await visitor.get("/api/me")).status_code == 401
    assert (await side.visitor().sign_in("supervise")).status_code == 403
    assert (await side.visitor().sign_in("supervise", made["password"])).status_code == 303
    assert (await head.post("/api/people/reset", {"login": "nobody"})).status_code == 404


async def test_a_name_that_somebody_else_has_is_refused_and_his_own_stays_his(
    side: Floorside,
) -> None:
    head = await side.signed_in("administer")
    sent = {"login": "supervise", "name": "ADMINISTER"}
    answer = await head.post("/api/people/change", sent)
    assert (answer.status_code, answer.json()["error"]) == (409, "name-taken")
    assert "name" in answer.json()["words"]
    own = await head.post("/api/people/change", {"login": "supervise", "name": "SUPER vise"})
    assert own.json()["name"] == "SUPER vise"


async def test_whoever_is_shut_out_while_the_database_is_away_is_out_at_once(
    side: Floorside,
) -> None:
    head, visitor = await side.signed_in("administer"), await side.signed_in("supervise")
    async with listening(visitor) as ear:
        await ear.next()
        with away(side):
            sent = {"login": "supervise", "disabled": True}
            answer = await head.post("/api/people/change", sent)
            assert (answer.status_code, answer.json()["error"]) == (503, "history")
            assert (await ear.until("ended")).view == {"reason": "disabled"}
            assert (await visitor.get("/api/me")).status_code == 401
            assert (await side.visitor().sign_in("supervise")).status_code == 503
    assert (await head.post("/api/people/change", sent)).status_code == 200
    assert (await side.visitor().sign_in("supervise")).status_code == 403


async def test_the_last_administrator_stays_one(side: Floorside) -> None:
    head = await side.signed_in("administer")
    for sent in ({"role": "wall"}, {"disabled": True}):
        answer = await head.post("/api/people/change", {"login": "administer"} | sent)
        assert (answer.status_code, answer.json()["error"]) == (409, "last-administrator")
    await head.post("/api/people/change", {"login": "supervise", "role": "administer"})
    answer = await head.post("/api/people/change", {"login": "administer", "disabled": True})
    assert answer.json()["disabled"] is True
    assert (await head.get("/api/me")).status_code == 401


async def test_another_name_keeps_the_session_and_another_role_ends_it(side: Floorside) -> None:
    head, visitor = await side.signed_in("administer"), await side.signed_in("supervise")
    await head.post("/api/people/change", {"login": "supervise", "name": "Su Per"})
    assert (await head.post("/api/people/change", {"login": "supervise"})).status_code == 200
    assert (await visitor.get("/api/me")).json()["name"] == "Su Per"
    await head.post("/api/people/change", {"login": "supervise", "role": "wall"})
    assert (await visitor.get("/api/me")).status_code == 401


async def test_each_wants_his_screens_his_own_way_and_finds_them_so_again(
    side: Floorside,
) -> None:
    visitor = await side.signed_in("supervise")
    sounds = {"critical": True, "high": False, "volume": 30}
    sent = {"language": "it", "theme": "dark", "sounds": sounds}
    told = (await visitor.post("/api/me", sent)).json()
    assert told | sent == told
    again = await side.signed_in("supervise")
    assert (await again.know_itself()) | sent == await again.know_itself()
    page = (await again.get("/floor")).text
    assert 'lang="it"' in page
    assert 'id="dark" media="screen"' in page
    other = await (await side.signed_in("wall")).know_itself()
    assert (other["language"], other["theme"]) == ("en", "auto")
    for wrong in ({"language": "xx"}, {"theme": "pink"}, {"sounds": {"volume": 101}}, {"x": 1}):
        assert (await visitor.post("/api/me", wrong)).status_code == 400


async def test_whatever_is_done_to_people_is_written_down_by_name(side: Floorside) -> None:
    head = await side.signed_in("administer")
    await head.post("/api/people", {"login": "mara", "name": "Mara", "role": "wall"})
    await head.post("/api/people", {"login": "mara", "name": "Mara", "role": "wall"})
    await head.post("/api/people/change", {"login": "mara", "disabled": True})
    await head.post("/api/people/reset", {"login": "mara"})
    assert side.audited() == [
        ("administer", "person-made", "mara: wall", "done"),
        ("administer", "person-made", "mara", "refused: taken"),
        ("administer", "person-changed", "mara: disabled True", "done"),
        ("administer", "person-reset", "mara", "done"),
    ]
