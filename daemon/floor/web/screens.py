"""The screens of a floor from its settings: people, the web over them, and the first password.

What `floorcall floor` and the demo start beside the floor itself.
"""

from __future__ import annotations

import asyncio
import os
import sys
from ipaddress import ip_network
from pathlib import Path

from daemon import __version__
from daemon.edges import logs
from daemon.floor.history.asking import Archive
from daemon.floor.history.database import Database, HistoryError
from daemon.floor.people.passwords import Passwords
from daemon.floor.people.people import FIRST, People
from daemon.floor.report.made import Reports
from daemon.floor.settings import FloorSettings
from daemon.floor.views import Floor, History
from daemon.floor.web.app import make_web
from daemon.floor.web.house import House
from daemon.floor.web.serving import Place, Serving

AGAIN_S = 5.0
FILE = "first-password"

log = logs.get("web")


class Screens:
    """The web of one floor. Raises OSError where its address is not to be had.

    `demo` lets everybody in, from this machine only. `port` takes the place of the configured one.
    """

    def __init__(  # noqa: PLR0913 - what it stands on
        self,
        settings: FloorSettings,
        *,
        floor: Floor,
        history: History,
        database: Database,
        demo: bool = False,
        port: int | None = None,
    ) -> None:
        document = settings.document
        self._state = settings.state
        self._passwords = Passwords()
        proxy = document.web.proxy
        heads = proxy.administrators if proxy and proxy.header else ()
        self.people = People(database, self._passwords, guests=demo, heads=heads)
        is_told = document.staff.dealer_identity != "off"
        archive = Archive(database, dealers=is_told, names=settings.names)
        self._web = make_web(
            floor=floor,
            history=history,
            archive=archive,
            reports=Reports(archive),
            people=self.people,
            house=house_of(settings, demo=demo),
        )
        certificate, key = settings.certificate or (None, None)
        place = Place(
            host="127.0.0.1" if demo else document.web.listen,
            port=document.web.port if port is None else port,
            certificate=certificate,
            key=key,
        )
        self._serving = Serving(self._web, place)

    @property
    def address(self) -> str:
        """What to open in a browser on this machine."""
        return self._serving.address

    @property
    def is_up(self) -> bool:
        """Whether requests are taken."""
        return self._serving.is_up

    async def run(self) -> None:
        """Serve until `stop`; who may sign in is known as soon as the database answers."""
        others = [
            asyncio.create_task(self._know_people(), name="people"),
            asyncio.create_task(self.people.keep_house(), name="people's sessions"),
        ]
        try:
            log.info("screens served", address=self.address)
            await self._serving.run()
        finally:
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self.people.settle()
            self._passwords.close()

    def stop(self) -> None:
        """End; every screen is told so, and comes again by itself."""
        self._serving.stop()

    async def _know_people(self) -> None:
        password, told = None, ""
        while not self.people.is_open:
            try:
                password = await self.people.open()
            except HistoryError as error:
                if told != (told := str(error)):
                    log.warning("people not known yet", reason=told)
                await asyncio.sleep(AGAIN_S)
        file = self._state / FILE
        while password is not None:
            try:
                await asyncio.to_thread(tell_first, password, file)
                password = None
            except OSError as error:
                log.warning("first password not told yet", file=str(file), reason=error.strerror)
                await asyncio.sleep(AGAIN_S)
        await self.people.first_used.wait()
        await asyncio.to_thread(file.unlink, missing_ok=True)


def tell_first(password: str, file: Path) -> None:
    """The first administrator's password: to whoever looks on, else into a file for its owner.

    Standard error is somebody's terminal or a journal that many may read: never the latter.
    """
    if sys.stderr.isatty():
        sys.stderr.write(
            f"\n  The first administrator: login {FIRST}, password {password}\n"
            "  It must be changed at the first login, and is not shown again after that.\n\n"
        )
        sys.stderr.flush()
        return
    file.unlink(missing_ok=True)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept:  # noqa: PTH123
        kept.write(f"{FIRST}\n{password}\n")
    log.info("first administrator made", login=FIRST, password_in=str(file))


def house_of(settings: FloorSettings, *, demo: bool = False) -> House:
    """What the settings say of the web."""
    document = settings.document
    web, proxy = document.web, document.web.proxy
    return House(
        site=settings.sites[0],
        version=__version__,
        hosts=tuple(host.casefold() for host in web.hosts),
        secure=web.certificate is not None or bool(proxy and proxy.secure),
        proxies=tuple(ip_network(one, strict=False) for one in (proxy.addresses if proxy else ())),
        identity=(proxy.header or "").casefold() if proxy else "",
        demo=demo,
        undo_s=document.acts.undo_s,
        shelve_max_min=document.acts.shelve_max_min,
        dealer_identity=document.staff.dealer_identity != "off",
        sounds=document.sounds,
    )
