"""Signing in and out: who gets a session, what it is worth, and how it ends."""

from __future__ import annotations

from tests.floor.web.side import PASSWORD, Floorside


async def test_whoever_knows_the_password_is_led_to_his_first_page(side: Floorside) -> None:
    visitor = side.visitor()
    assert (await visitor.get("/")).headers["location"] == "/login?to=/"
    answer = await visitor.sign_in("supervise")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await visitor.get("/")).headers["location"] == "/floor"
    assert (await visitor.get("/floor")).status_code == 200


async def test_a_wrong_password_and_an_unknown_login_are_answered_alike(side: Floorside) -> None:
    wrong = await side.visitor().sign_in("supervise", "not it at all")
    unknown = await side.visitor().sign_in("nobody-at-all", PASSWORD)
    assert wrong.status_code == unknown.status_code == 403
    assert (
        wrong.text.replace("supervise", "").split("csrf")[0]
        == unknown.text.replace("nobody-at-all", "").split("csrf")[0]
    )
