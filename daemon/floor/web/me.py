"""Oneself: who is at this screen, and how he wants it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

from starlette.responses import Response

from daemon.floor.people.sessions import csrf_of
from daemon.floor.views import AUDIENCES_OF, MAY_ACT
from daemon.floor.web import forms
from daemon.floor.web.call import Call, json_of
from daemon.floor.web.routes import pages_of


def me_of(call: Call) -> forms.Me:
    """Who is at this screen."""
    account, web = call.known, call.web
    end_s = web.people.end_s(call.opened, account.role)
    themes = get_args(forms.Theme)
    loud = getattr(web.house.sounds, account.role)
    return forms.Me(
        login=account.login,
        name=account.name,
        role=account.role,
        may_act=account.role in MAY_ACT,
        language="it" if call.language == "it" else "en",
        theme=account.theme if account.theme in themes else "auto",  # type: ignore[arg-type]
        sounds=forms.Sounds(
            critical=_chosen(account.sound_critical, "critical" in loud),
            high=_chosen(account.sound_high, "high" in loud),
            volume=_chosen(account.sound_volume, forms.Sounds().volume),
        ),
        csrf=csrf_of(call.token),
        until=datetime.fromtimestamp(end_s, UTC).isoformat(timespec="seconds"),
        must_change=call.must_change,
        passwords=call.has_passwords,
        pages=pages_of(account.role),
        audiences=sorted(AUDIENCES_OF[account.role]),
        demo=web.house.demo,
    )


def _chosen(value: Any, otherwise: Any) -> Any:  # noqa: ANN401 - of one type, both
    return otherwise if value is None else value


def me(call: Call) -> Response:
    """Who is at this screen."""
    return json_of(me_of(call))


async def change_me(call: Call) -> Response:
    """How he wants his screens, from now on."""
    sent: forms.MeSent = call.sent
    chosen: dict[str, Any] = {}
    if sent.language is not None:
        chosen["language"] = sent.language
    if sent.theme is not None:
        chosen["theme"] = sent.theme
    if sent.sounds is not None:
        chosen["sound_critical"] = sent.sounds.critical
        chosen["sound_high"] = sent.sounds.high
        chosen["sound_volume"] = sent.sounds.volume
    if chosen:
        call.account = await call.web.people.choose(call.known.login, **chosen)
    return json_of(me_of(call))
