"""Who may import whom, read from the syntax trees: one direction, no way back, a pure middle."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Layer: what of ours it may import. The longest name that fits a module is its layer; a layer may
# import itself, unless it is in ALONE.
# fmt: off
WIRE   = {f"drivers.{part}" for part in
          "readings checks dirt framing keyboard packets sequence uids".split()}
DEVICE = WIRE | {"drivers.driver", "drivers.lines"}
TABLE  = {"daemon.table", "daemon.payloads", "drivers.readings"}
COURSE = TABLE | {"daemon.course"}
RULES  = COURSE | {"daemon.rules"}
ALARMS = RULES | {"daemon.alarms", "daemon.orders"}
LINE   = ALARMS | {"daemon.signals", "drivers.driver", "drivers.catalog"}
EDGES  = {"daemon", "daemon.pipeline", "daemon.replay", "daemon.orders", "daemon.messages",
          "daemon.transcript", "daemon.chain", "daemon.sealkeys", "daemon.document",
          "daemon.shaped", "daemon.fits", "daemon.spoken", "daemon.shipped", "daemon.access",
          "daemon.edges", "drivers.port"}
EDGE   = LINE | EDGES - {"daemon.pipeline", "daemon.replay", "daemon.edges"}

MAP = {
    "drivers.readings":     set(),
    "drivers.checks":       set(),
    "drivers.dirt":         {"drivers.readings"},
    "drivers.framing":      {"drivers.readings", "drivers.checks", "drivers.dirt"},
    "drivers.keyboard":     {"drivers.readings", "drivers.dirt"},
    "drivers.packets":      {"drivers.readings", "drivers.dirt"},
    "drivers.sequence":     {"drivers.readings"},
    "drivers.uids":         set(),
    "drivers.lines":        WIRE,                          # the talk that csl1 and keypad share
    "drivers.driver":       {"drivers.readings"},
    "drivers":              DEVICE,                        # one file per device, or X and X_more
    "drivers.catalog":      {"drivers"},
    "drivers.port":         DEVICE,
    "drivers.simulated":    {"drivers"},
    "daemon":               set(),
    "daemon.orders":        set(),                         # what people may say, and the answer
    "daemon.payloads":      set(),                         # what is said of a table
    "daemon.contract":      {"daemon.alarms.alert", "daemon.alarms.dealt", "daemon.orders",
                             "daemon.payloads", "daemon.messages",
                             "daemon.rules.vocabulary"},   # all of these, for others
    "daemon.signals":       {"daemon.orders"},
    "daemon.table":         TABLE,
    "daemon.course":        COURSE,
    "daemon.rules":         RULES,
    "daemon.alarms":        ALARMS,
    "daemon.alarms.alert":  {"daemon.payloads", "daemon.rules.vocabulary"},  # the floor reads it
    "daemon.pipeline":      LINE,
    "daemon.replay":        {"daemon.alarms.alert", "daemon.signals", "daemon.transcript"},
    "daemon.messages":      {"daemon.alarms.alert"},       # what can go out, as signals can come in
    "daemon.transcript":    {"daemon.signals", "daemon.orders"},  # the journal's words
    "daemon.chain":         set(),                         # what ties its lines together
    "daemon.sealkeys":      set(),                         # its seal's keys
    "daemon.document":      {"daemon.table"},
    "daemon.shaped":        {"daemon.rules"},              # TOML as typed tables
    "daemon.access":        {"daemon.messages", "daemon.shaped"},  # how to come to a broker
    "daemon.fits":          {"daemon.table", "daemon.rules", "daemon.shaped", "drivers.driver",
                             "drivers.port"},              # sense of the [[sensors]]
    "daemon.spoken":        set(),                         # words that several commands speak
    "daemon.shipped":       set(),                         # where config/ is
    "daemon.edges":         EDGE,
    "daemon.edges.mqtt":    EDGE,
    "daemon.edges.outbox":  {"daemon.messages"},
    "daemon.edges.journal": EDGE,                          # an edge of several files
    "daemon.enrol":         TABLE | {"daemon.enrol", "daemon.spoken"},  # a deck laid card by card
    "daemon.enrol.desk":    {"drivers.driver", "drivers.readings", "drivers.port"},
    "daemon.floor":         {"daemon", "daemon.alarms.alert", "daemon.payloads", "daemon.messages",
                             "daemon.orders", "daemon.access", "daemon.shaped", "daemon.spoken",
                             "daemon.shipped", "daemon.edges.logs", "daemon.edges.mqtt",
                             "daemon.edges.watchdog"},     # beside the broker, not at a table
    "daemon.demo":          {"daemon", "drivers"},
    "daemon.app":           LINE | EDGES | {"daemon.watch", "daemon.kept"},
    "daemon.watch":         LINE | EDGES | {"daemon.sensor_states"},
    "daemon.sensor_states": TABLE,
    "daemon.kept":          EDGES,                         # the journal as the configuration says
    "daemon.sniff":         LINE | EDGES | {"drivers"},    # a technician's ear on one port
    "daemon.doctor":        LINE | EDGES | {"drivers"},    # what is wrong with a table
    "daemon.cli_tools":     {"daemon", "drivers"},
    "daemon.cli":           {"daemon", "drivers"},
    "daemon.cli_deck":      {"daemon", "drivers"},
    "daemon.cli_floor":     {"daemon"},
    "daemon.cli_journal":   {"daemon", "drivers"},
    "daemon.cli_report":    {"daemon"},
    "daemon.cli_shared":    {"daemon"},
    "daemon.__main__":      {"daemon", "daemon.cli"},
}
# fmt: on

# Exactly these modules, not what lies below them: a package's own name stands for its `__init__`.
EXACT = {"daemon"}
WHOLE_DAEMON = {
    "daemon.demo",
    "daemon.cli",
    "daemon.cli_deck",
    "daemon.cli_floor",
    "daemon.cli_journal",
    "daemon.cli_report",
    "daemon.cli_shared",
    "daemon.cli_tools",
}  # they join everything: the name stands for all below
ALONE = {"daemon.edges"}  # their modules do not import each other; app joins them
RESERVED = {  # these only for those, whatever the map says
    "drivers.port": {
        "drivers.port",
        "drivers.simulated",  # the rig only: the rest is pure
        "daemon.edges",
        "daemon.app",
        "daemon.fits",  # what an address may be
        "daemon.cli",
        "daemon.cli_deck",  # the same
        "daemon.demo",
        "daemon.enrol.desk",
        "daemon.sniff",
        "daemon.doctor",
    },
    "drivers.simulated": {"drivers.simulated", "daemon.demo"},
    "daemon.demo": {"daemon.demo", "daemon.cli"},
    "daemon.cli": {"daemon.__main__"},
    "daemon.cli_deck": {"daemon.cli"},
    "daemon.cli_floor": {"daemon.cli", "daemon.cli_report"},
    "daemon.cli_journal": {"daemon.cli"},
    "daemon.cli_report": {"daemon.cli"},
    "daemon.cli_shared": {
        "daemon.cli",
        "daemon.cli_deck",
        "daemon.cli_floor",
        "daemon.cli_journal",
        "daemon.cli_report",
        "daemon.cli_tools",
    },
    "daemon.cli_tools": {"daemon.cli"},
}

PURE = ("drivers", "daemon.table", "daemon.course", "daemon.rules", "daemon.alarms", "daemon.enrol")
PURE_TOO = {
    "daemon.pipeline",
    "daemon.replay",
    "daemon.orders",
    "daemon.payloads",
    "daemon.contract",
    "daemon.signals",
    "daemon.messages",
    "daemon.transcript",
    "daemon.chain",
    "daemon.shaped",
    *(
        f"daemon.floor.{part}"
        for part in "acts chain_test forms gravity lines order picture reduced "
        "showing standing table views".split()
    ),
}
WORLDLY = {
    "drivers.port",
    "drivers.simulated.contact",
    "drivers.simulated.rig",
    "daemon.enrol.desk",
}
IMPURE = set(
    "asyncio time random os socket threading logging serial aiomqtt".split()
    + "concurrent multiprocessing secrets select selectors signal sqlite3 structlog subprocess "
    "uuid".split()
)


@dataclass(frozen=True, slots=True)
class Import:
    """One import: where it stands and which module it brings."""

    path: str
    line: int
    importer: str
    module: str


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(path: str, source: str, known: set[str]) -> list[Import]:
    """Every import of a source; `from a import b` is `a.b` where that is a module."""
    importer = module_name(path)
    package = importer if path.endswith("__init__.py") else importer.rpartition(".")[0]
    found = []
    for node in ast.walk(ast.parse(source, path)):
        match node:
            case ast.Import():
                modules = [alias.name for alias in node.names]
            case ast.ImportFrom():
                above = package.split(".")[: -(node.level - 1) or None] if node.level else []
                origin = ".".join([*above, *([node.module] if node.module else [])])
                named = [f"{origin}.{alias.name}" for alias in node.names]
                modules = [name if name in known else origin for name in named]
            case _:
                continue
        found += [Import(path, node.lineno, importer, module) for module in dict.fromkeys(modules)]
    return found


def within(module: str, layer: str) -> bool:
    return module == layer or module.startswith(layer + ".")


def layer_of(module: str) -> str | None:
    if module in EXACT:
        return module
    fits = [layer for layer in MAP if within(module, layer) and layer not in EXACT]
    return max(fits, key=len, default=None)


def allowed(importer: str, module: str) -> bool:
    layer = layer_of(importer)
    if layer is None:
        return False
    if any(within(module, name) and layer not in RESERVED[name] for name in RESERVED):
        return False
    if layer == "drivers" and module.startswith(importer.partition("_")[0] + "_"):
        return True
    if within(module, layer) and layer not in EXACT | {"drivers"}:
        return layer not in ALONE or module in {layer, importer}
    below = EXACT if layer not in WHOLE_DAEMON else set()
    return any(module == name if name in below else within(module, name) for name in MAP[layer])


def is_pure(module: str) -> bool:
    if any(within(module, layer) for layer in WORLDLY):
        return False
    return module in PURE_TOO or any(within(module, layer) for layer in PURE)


def violations(sources: dict[str, str]) -> list[str]:
    """Each import that breaks the map, as `file:line importer imports module: why not`."""
    known = {module_name(path) for path in sources}
    found = []
    for each in (one for path in sorted(sources) for one in imports(path, sources[path], known)):
        top = each.module.partition(".")[0]
        where = f"{each.path}:{each.line} {each.importer} imports {each.module}"
        if top in IMPURE and is_pure(each.importer):
            found.append(f"{where}: this part is pure")
        if top in {"daemon", "drivers"} and not allowed(each.importer, each.module):
            found.append(f"{where}: against the map of layers")
        if top == "tests":
            found.append(f"{where}: the program knows nothing of its tests")
    return found


def tree() -> dict[str, str]:
    files = [path for top in ("daemon", "drivers") for path in (ROOT / top).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}


def test_every_import_keeps_to_the_map() -> None:
    broken = violations(tree())
    assert not broken, "\n" + "\n".join(broken)


def test_every_module_has_a_layer() -> None:
    assert [path for path in sorted(tree()) if layer_of(module_name(path)) is None] == []


BAD = {
    "a driver that knows the daemon": ("drivers/csl1.py", "from daemon.signals import Chunk"),
    "a driver that knows another device": ("drivers/csl1.py", "import drivers.feig"),
    "a driver that asks the time": ("drivers/csl1.py", "from time import monotonic"),
    "a simulated device with a loop": ("drivers/simulated/shoe.py", "import asyncio"),
    "readings that know a device": ("drivers/readings.py", "from drivers import csl1"),
    "framing that knows a device": ("drivers/framing.py", "from drivers.csl1 import DRIVER"),
    "a catalogue of simulations": ("drivers/catalog.py", "from drivers.simulated import shoe"),
    "a device on the world": ("drivers/csl1.py", "from drivers import port"),
    "a simulated device on the world": ("drivers/simulated/shoe.py", "import os"),
    "a port that knows the catalogue": ("drivers/port.py", "from drivers.catalog import DRIVERS"),
    "chance in a rule": ("daemon/rules/burns.py", "def rule():\n    import random"),
    "a log line in the table": ("daemon/table/places.py", "import logging.handlers"),
    "files in the course": ("daemon/course/plan.py", "from os import path"),
    "a socket in the alarms": ("daemon/alarms/states.py", "import socket"),
    "MQTT in the pipeline": ("daemon/pipeline.py", "import aiomqtt"),
    "a table that knows the course": ("daemon/table/hands.py", "from daemon.course import plan"),
    "a course that knows the rules": ("daemon/course/plan.py", "from daemon.rules import burns"),
    "a rule that knows the alarms": ("daemon/rules/burns.py", "from ..alarms.alert import Alert"),
    "alarms that know the pipeline": ("daemon/alarms/states.py", "from daemon import pipeline"),
    "a table that knows signals": ("daemon/table/hands.py", "from daemon.signals import Tick"),
    "an edge that knows an edge": ("daemon/edges/mqtt.py", "from daemon.edges import journal"),
    "an edge beside an edge": ("daemon/edges/mqtt.py", "from .journal import Journal"),
    "a file of an edge beside an edge": (
        "daemon/edges/journal/writing.py",
        "from daemon.edges import outbox",
    ),
    "an edge that runs the line": ("daemon/edges/mqtt.py", "from daemon.pipeline import Pipeline"),
    "an enrolment that waits": ("daemon/enrol/enrolment.py", "import asyncio"),
    "an enrolment that opens ports": ("daemon/enrol/arrivals.py", "from drivers.port import Port"),
    "an enrolment that writes": ("daemon/enrol/desk.py", "from daemon.edges import journal"),
    "a floor that knows the table": ("daemon/floor/web.py", "from daemon.table import cards"),
    "a floor that knows more of alarms": (
        "daemon/floor/web.py",
        "from daemon.alarms import states",
    ),
    "a service that knows the demo": ("daemon/app.py", "from daemon.demo import evening"),
    "a service that simulates": ("daemon/app.py", "from drivers.simulated.rig import Rig"),
    "a program that needs its tests": ("daemon/app.py", "from tests.scenario import play"),
}

GOOD = {
    "a device on the frames": ("drivers/csl1.py", "from drivers.framing import Lines"),
    "a device of several files": ("drivers/csl1.py", "import drivers.csl1_frames"),
    "the catalogue of devices": ("drivers/catalog.py", "from drivers import csl1, feig"),
    "a port on the world": ("drivers/port.py", "import asyncio, os, serial"),
    "a port of several files": ("drivers/port/wire.py", "import os, drivers.port.reasons"),
    "a rig on the world": (
        "drivers/simulated/rig.py",
        "import os\nimport drivers.simulated",
    ),
    "a rule on the course": ("daemon/rules/burns.py", "from daemon.course import plan"),
    "a rule beside a rule": ("daemon/rules/burns.py", "from . import rulebook"),
    "the line itself": (
        "daemon/pipeline.py",
        "import daemon.alarms.alert, daemon.signals",
    ),
    "an edge on the signals": (
        "daemon/edges/intake.py",
        "import asyncio, daemon.signals",
    ),
    "an edge of several files": (
        "daemon/edges/journal/writing.py",
        "from daemon.edges.journal.files import Folder",
    ),
    "an edge that tells the version": ("daemon/edges/mqtt.py", "from daemon import __version__"),
    "a desk on the world": ("daemon/enrol/desk.py", "import asyncio\nfrom drivers import port"),
    "the commands on a command": ("daemon/cli.py", "from daemon.cli_deck import deck"),
    "a floor on alerts": ("daemon/floor/web.py", "from daemon.alarms.alert import Alert"),
    "the demo on everything": ("daemon/demo/evening.py", "import random\nfrom daemon import app"),
    "the demo on devices": ("daemon/demo/evening.py", "from drivers.simulated import shoe"),
    "the commands on the demo": ("daemon/cli.py", "from daemon.demo import evening"),
}

# What the small sources above name, so that they are modules to the map.
NEIGHBOURS = {
    f"{path}.py": ""
    for path in (
        "drivers/csl1 drivers/csl1_frames drivers/feig drivers/port drivers/framing daemon/signals "
        "daemon/pipeline daemon/app daemon/table/cards daemon/course/plan "
        "daemon/rules/burns daemon/rules/rulebook "
        "daemon/alarms/alert daemon/alarms/states daemon/edges/journal daemon/edges/outbox "
        "daemon/edges/journal/files daemon/demo/evening "
        "daemon/cli_deck daemon/enrol/arrivals "
        "drivers/simulated/shoe"
    ).split()
}


@pytest.mark.parametrize(("path", "source"), BAD.values(), ids=BAD.keys())
def test_a_wrong_import_is_found_and_named_by_file_line_and_module(path: str, source: str) -> None:
    found = violations({**NEIGHBOURS, path: f'"""Doc."""\n\n{source}\n'})
    assert len(found) == 1
    line = 3 + source.count("\n")
    assert found[0].startswith(f"{path}:{line} {module_name(path)} imports ")


@pytest.mark.parametrize(("path", "source"), GOOD.values(), ids=GOOD.keys())
def test_a_right_import_passes(path: str, source: str) -> None:
    assert violations({**NEIGHBOURS, path: source}) == []
