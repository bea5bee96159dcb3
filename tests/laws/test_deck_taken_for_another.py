"""A deck's file taken for a configuration or a rulebook: no tag of it is ever repeated."""

from __future__ import annotations

import subprocess
import sys

import pytest

from daemon.table.cards import DECK

UIDS = [f"04a1b2c3d4{number:04x}" for number in range(len(DECK))]
WHOLE = "".join(f'{uid} = "{card}"\n' for uid, card in zip(UIDS, DECK, strict=True))
FILES = {
    "a deck": WHOLE,
    "a broken deck": WHOLE.replace(f"{UIDS[7]} =", f"{UIDS[7]} = ="),
    "a tag twice": WHOLE + f'{UIDS[3]} = "2c"\n',
    "a deck below a table": f"[broker]\n{WHOLE}",
    "tags as values": f'site = "{UIDS[0]}"\nrulebook = "{UIDS[1]}"\nseat_count = "{UIDS[2]}"\n',
    "tags as values of a rulebook": f'name = "x"\nextends = "{UIDS[0]}"\n[{UIDS[1]}]\nx = 1\n',
}
COMMANDS = (
    ("check",),
    ("doctor",),
    ("run", "--config"),
    ("deck", "list", "--config"),
    ("rules", "--rulebook"),
    ("judge", "--rulebook"),
)


CASES = [(command, "a deck") for command in COMMANDS] + [
    (command, file) for command in (COMMANDS[0], COMMANDS[4]) for file in FILES if file != "a deck"
]


@pytest.mark.parametrize(("command", "file"), CASES)
def test_no_command_repeats_a_tag_of_a_file_that_it_refuses(command, file, tmp_path):
    path = tmp_path / "red.toml"
    path.write_text(FILES[file])
    done = subprocess.run(
        [sys.executable, "-m", "daemon", *command, str(path)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    said = (done.stdout + done.stderr).lower()
    assert done.returncode != 0
    assert not [uid for uid in UIDS if uid in said], said
