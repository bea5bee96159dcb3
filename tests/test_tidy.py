"""The house style as tests: sizes, names, types, and what no file of the project may say."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import daemon
from drivers import keypad

ROOT = Path(__file__).parents[1]
PRODUCT = [*sorted((ROOT / "daemon").rglob("*.py")), *sorted((ROOT / "drivers").rglob("*.py"))]
PYTHON = [*PRODUCT, *sorted((ROOT / "tests").rglob("*.py"))]

FUNCTION_LINES_MAX = 60  # without its docstring
MODULE_LINES_MAX = 400

BANNED = frozenset(
    "manager handler helper util processor service engine info obj base common misc".split()
)
BANNED_OF_TYPES = BANNED | {"data"}  # an argument `data` is honest: it is bytes

# Spelt so that this file does not find itself.
FORBIDDEN = {
    "a note instead of work": re.compile(r"\b(?:TO[D]O|FIX[M]E)\b"),
    "a path of somebody's machine": re.compile(r"(?<![\w.-])/(?:home|root|work|Users)/[\w.]"),
    "a package registry": re.compile(
        r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|deb\.debian\.org|debian\.org/debian"
        r"|--(?:extra-)?index-url\s*[=\s]\s*\S+://"
    ),
}
UNTIDY = re.compile(r"[ \t]+$", re.MULTILINE)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), name_of(path))


def functions(tree: ast.AST) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def lines_of(function: Function) -> int:
    """Lines from `def` to the last one, without the docstring."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function, clean=False) is not None:
        doc = function.body[0]
        lines -= (doc.end_lineno or doc.lineno) - doc.lineno + 1
    return lines


def words(identifier: str) -> set[str]:
    """The words of a name, in lower case and without a plural's s: `TagHandlers` → tag, handler."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier)
    parts = spaced.lower().strip("_").split("_")
    return {*parts, *(part.removesuffix("s") for part in parts)}


def defined(tree: ast.AST) -> list[tuple[int, str, frozenset[str]]]:
    """Names that a module gives: line, name, and the words it may not be made of."""
    names: list[tuple[int, str, frozenset[str]]] = []
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name):
                names.append((node.lineno, name, BANNED_OF_TYPES))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.append((node.lineno, name, BANNED))
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.append((node.lineno, name, BANNED))
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                names.append((node.lineno, name, BANNED))
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.append((node.lineno, name, BANNED))
            case ast.ExceptHandler(name=str(name)):
                names.append((node.lineno, name, BANNED))
            case ast.alias(asname=str(name)):
                names.append((node.lineno, name, BANNED))
    return names


def untyped(function: Function, owner: str) -> str | None:
    """What a public function leaves untyped, or None."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    if owner and not any(ast.unparse(d) == "staticmethod" for d in function.decorator_list):
        every = every[1:]
    every += [arg for arg in (function.args.vararg, function.args.kwarg) if arg]
    bare = [arg.arg for arg in every if arg.annotation is None]
    if function.returns is None:
        bare.append("return")
    return f"{owner}{function.name}: {', '.join(bare)}" if bare else None


def project_texts() -> list[tuple[Path, str]]:
    """Every text of the project; generated folders and packed or binary files left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    texts = []
    for path in (ROOT / name for name in sorted(listed.stdout.decode().split("\0")) if name):
        blob = path.read_bytes() if path.is_file() else b"\0"
        if b"\0" not in blob and path.suffix != ".gz":
            texts.append((path, blob.decode("utf-8")))
    return texts


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{name_of(path)}:{function.lineno} {function.name}: {lines_of(function)} lines"
        for path in PYTHON
        for function in functions(tree_of(path))
        if lines_of(function) > FUNCTION_LINES_MAX
    ]
    assert long == []


def test_no_module_is_longer_than_a_sitting() -> None:
    lines = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in PYTHON}
    assert {path: n for path, n in lines.items() if n > MODULE_LINES_MAX} == {}


def test_no_name_says_nothing() -> None:
    empty = [
        f"{name_of(path)}:{line} {name}"
        for path in PRODUCT
        for line, name, banned in defined(tree_of(path))
        if words(name) & banned
    ]
    empty += [
        f"{name_of(path)}: the module's name"
        for path in PRODUCT
        if words(path.stem) & BANNED_OF_TYPES
    ]
    assert empty == []


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("TagHandler", True),
        ("tag_handlers", True),
        ("MqttService", True),
        ("ReadingData", True),
        ("_obj", True),
        ("handled", False),
        ("baseline", False),
        ("unmanaged", False),
        ("engineer", False),
    ],
)
def test_a_name_is_judged_by_its_words(name: str, empty: bool) -> None:
    assert bool(words(name) & BANNED_OF_TYPES) is empty


def test_every_module_says_what_it_is() -> None:
    assert [name_of(path) for path in PRODUCT if not ast.get_docstring(tree_of(path))] == []


def test_every_public_function_is_typed() -> None:
    bare = []
    for path in PRODUCT:
        tree = tree_of(path)
        owners = {
            member: f"{owner.name}."
            for owner in ast.walk(tree)
            if isinstance(owner, ast.ClassDef)
            for member in owner.body
            if isinstance(member, Function)
        }
        for function in functions(tree):
            missing = untyped(function, owners.get(function, ""))
            if missing and not function.name.startswith("_"):
                bare.append(f"{name_of(path)}:{function.lineno} {missing}")
    assert bare == []


def test_no_file_says_what_does_not_belong_into_a_project() -> None:
    said = [
        f"{name_of(path)}:{text.count(chr(10), 0, found.start()) + 1} {what}: {found.group()!r}"
        for path, text in project_texts()
        for what, pattern in FORBIDDEN.items()
        for found in pattern.finditer(text)
    ]
    assert said == []


def test_every_text_ends_its_lines_tidily() -> None:
    untidy = []
    for path, text in project_texts():
        untidy += [
            f"{name_of(path)}:{text.count(chr(10), 0, found.start()) + 1} trailing blanks"
            for found in UNTIDY.finditer(text)
        ]
        if text and not text.endswith("\n") and path.suffix != ".json":  # copied as it came
            untidy.append(f"{name_of(path)}: no newline at its end")
    assert untidy == []


def test_the_package_called_daemon_is_ours_and_not_python_daemons() -> None:
    assert daemon.__file__ is not None
    assert Path(daemon.__file__).parent == ROOT / "daemon"
    assert daemon.__doc__ is not None
    assert daemon.__doc__.startswith("floorcall")


LOCKED = [
    ("table.txt", ()),
    ("floor.txt", ("floor",)),
    ("run.txt", ("floor", "demo")),
    ("dev.txt", ("floor", "demo", "dev")),
]


@pytest.mark.parametrize(("lock", "extras"), LOCKED)
def test_a_lock_pins_every_dependency_by_its_hashes(lock: str, extras: tuple[str, ...]) -> None:
    text = (ROOT / "requirements" / lock).read_text("utf-8")
    entries = re.findall(
        r"^([a-z0-9.-]+)==\S+.*((?:\\\n    --hash=sha256:[0-9a-f]{64} ?)+)", text, re.MULTILINE
    )
    pinned = [name for name, _ in entries]
    assert len(pinned) == len(re.findall(r"^[^\s#]", text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = project["project"]["dependencies"] + project["build-system"]["requires"]
    optional = project["project"]["optional-dependencies"]
    wanted = wanted + [each for part in extras for each in optional.get(part, ())]
    grouped = project["dependency-groups"]
    wanted = wanted + [each for part in extras for each in grouped.get(part, ())]
    names = {re.split(r"[<>=~! ]", each, maxsplit=1)[0] for each in wanted}
    assert names - {"floorcall[floor]"} <= set(pinned)


def test_the_readme_tells_the_consoles_keys_as_the_driver_does() -> None:
    rows = [row for row in (keypad.__doc__ or "").splitlines() if row.startswith("|")]
    assert len(rows) > 2
    assert "\n".join(rows) in (ROOT / "README.md").read_text("utf-8")


def test_the_wheel_carries_the_program_and_its_config_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("floorcall-*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    kept = [path for path, _ in project_texts()]
    config = {f"daemon/{name_of(p)}" for p in kept if p.is_relative_to(ROOT / "config")}
    modules = {name_of(path) for path in PRODUCT}
    assert config <= packed
    assert modules <= packed
    assert {name.partition("/")[0] for name in packed} == {"daemon", "drivers"}
