"""What every answer says to the browser about what it may do with it."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daemon.floor.web.house import House

_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
)
POLICY = "; ".join(_POLICY)
# With `no-referrer` a browser would send a form with the origin `null`.
# fmt: off
ALWAYS = {
    "content-security-policy":      POLICY,
    "x-content-type-options":       "nosniff",
    "referrer-policy":              "same-origin",
    "cross-origin-opener-policy":   "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()",
}
# fmt: on
HSTS = "max-age=31536000"


class Headers:
    """Adds them to each answer of the application behind it, refusals and faults included."""

    def __init__(self, app: ASGIApp, house: House) -> None:
        self._app = app
        self._house = house

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, the first message of an answer with more in it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if self._house.secure:
                    headers["strict-transport-security"] = HSTS
            await send(message)

        await self._app(scope, receive, told)
