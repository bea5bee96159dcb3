"""The tour as it is watched: the demo that is typed, and its screens in a real Chromium."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections import defaultdict
from contextlib import asynccontextmanager
from itertools import islice

import pytest
from playwright.async_api import async_playwright, expect

from daemon.demo.outcome import RIGHT
from daemon.demo.tour import PROGRAMME, UNKEYED, scenes
from daemon.demo.words import Vocabulary
from daemon.table.events import HandStarted
from tests.demo.staged import books
from tests.web.conftest import ARGS, chromium

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
WHOLE = 2 * len(PROGRAMME)
SEEDS, SCENES = ((1, 2, 3), WHOLE) if SOAK else ((4,), 4)
SOON_S = 120
TITLE = Vocabulary("en", books()[1]).title

# Opens each alert that comes, and keeps all that a supervisor saw of it: how it stood in the list,
# how its steps stood, time after time.
WATCH = """
window.saw = {};
const keep = (list, one) => { if (list.at(-1) !== one) list.push(one); };
function look() {
  for (const row of document.querySelectorAll("li.alert")) {
    const isNew = !(row.dataset.key in saw);
    const told = (saw[row.dataset.key] ??= { stood: [], ticked: [] });
    told.title = row.querySelector(".title").textContent;
    keep(told.stood, ["now", "over"].find((state) => row.classList.contains(state)));
    if (isNew) setTimeout(() => row.querySelector("a.opens").click());
  }
  const open = document.querySelector("li.alert:has([aria-current=true])");
  const told = open && saw[open.dataset.key];
  if (!told || told.title !== document.querySelector("#detail h2")?.textContent) return;
  const steps = [...document.querySelectorAll("#detail .step")];
  keep(told.ticked, steps.map((step) => step.dataset.step).join(" "));
}
const all = { subtree: true, childList: true, attributes: true, characterData: true };
addEventListener("DOMContentLoaded", () => new MutationObserver(look).observe(document.body, all));
"""


INK = "one => getComputedStyle(one).color"


@asynccontextmanager
async def demo(seed, tmp_path):
    """The tour on a pipe; its lines, and the address of its screens."""
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "daemon", "demo", "--tour", "--seed", str(seed)),
        *("--speed", "100", "--web-port", "0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    try:
        first = (await asyncio.wait_for(running.stdout.readline(), SOON_S)).decode()
        yield running, re.search(r"http://127\.0\.0\.1:\d+", first)[0]
        if SCENES < WHOLE:  # else it ends by itself
            os.killpg(running.pid, signal.SIGINT)
        _, complained = await asyncio.wait_for(running.communicate(), SOON_S)
        assert (running.returncode, complained) == (0, b"")
    finally:
        if running.returncode is None:
            os.killpg(running.pid, signal.SIGKILL)
            await running.communicate()


@asynccontextmanager
async def browser(address, complaints):
    """A browser on these screens; what its pages write as an error goes to the complaints."""
    async with async_playwright() as playwright:
        program = await playwright.chromium.launch(executable_path=chromium(), args=ARGS)
        context = await program.new_context(base_url=address)
        context.set_default_timeout(SOON_S * 1000)
        context.on("weberror", lambda wrong: complaints.append(str(wrong.error)))
        context.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        yield context
        await program.close()


async def over(running, scene):
    """Until the next scene is announced, or all of them are told again in the summary."""
    following = f"{scene.number % WHOLE + 1:>2}/{WHOLE} ".encode()
    async with asyncio.timeout(5 * SOON_S):
        async for line in running.stdout:
            if line.startswith(following):
                return
    pytest.fail(f"nothing came after scene {scene.number}")


def hand_of(scene):
    return next((one.hand for one in scene.hand if isinstance(one, HandStarted)), "")


def titles(scene):
    """What the floor is to see of a scene; a sensor's trouble and a doubt are maintenance's."""
    if scene.unplugged or scene.handling == UNKEYED:
        return set()
    return {TITLE(name) for name in scene.found}


async def seen(page):
    """All that was seen on the page: by hand and title what came of it, its address with it."""
    saw = defaultdict(dict)
    for key, told in (await page.evaluate("saw")).items():
        saw[key.split(":")[2]][told["title"]] = {**told, "key": key}
    return saw


async def seen_of(page, scene):
    """The same of this scene's hand, once all of it was seen."""
    async with asyncio.timeout(SOON_S):
        while True:
            saw = (await seen(page))[hand_of(scene)]
            ends = {told["stood"][-1] for told in saw.values()}
            if saw.keys() >= titles(scene) and (scene.handling != RIGHT or ends == {"over"}):
                return saw
            await asyncio.sleep(0.1)


async def check(page, scene, told):
    """The alert by itself: put right, or not and why not."""
    await page.goto(f"/alerts/{told['key']}")
    detail = page.locator("#detail")
    await expect(detail.locator("h2")).to_have_text(told["title"])
    steps = await detail.locator(".step").evaluate_all("all => all.map(one => one.dataset.step)")
    wrongs = detail.locator(".wrongs li")
    if scene.handling == RIGHT:
        assert set(steps) == {"done"}
        assert await wrongs.count() == 0
        return
    assert told["stood"][-1] == "now"
    assert set(steps) != {"done"}
    if scene.handling.startswith("remedy-"):
        await expect(wrongs).to_have_text(TITLE(scene.handling))
        red, green, blue = map(int, re.findall(r"\d+", await wrongs.evaluate(INK)))
        assert red > 3 * max(green, blue)


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_floor_sees_what_is_announced_put_right_or_not_and_nothing_else(seed, tmp_path):
    shown = list(islice(scenes(seed, books()), SCENES + 1))
    complaints, ticked = [], 0
    async with demo(seed, tmp_path) as (running, address), browser(address, complaints) as windows:
        floor, alone = await windows.new_page(), await windows.new_page()
        await floor.add_init_script(WATCH)
        await floor.goto("/floor")
        for scene in shown[:SCENES]:
            await over(running, scene)
            if titles(scene):
                saw = await seen_of(floor, scene)
                told = saw[TITLE(scene.irregularity)]
                await check(alone, scene, told)
                ticked += scene.handling == RIGHT and len(told["ticked"]) > 1
        saw = await seen(floor)
        for scene in shown:
            named = saw.pop(hand_of(scene), {}).keys()
            assert named == titles(scene) or scene.number > SCENES, scene.number
        assert (saw, complaints) == ({}, [])
        assert ticked  # the first scene may be over before the page is there
