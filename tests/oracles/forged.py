"""Runs as an attacker would write them: every text replaced, and every checksum right again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from solvent.foundation.storage.bundle import MANIFEST, digest_of
from solvent.foundation.storage.run import CONFIGURATION, METRICS, Run, _metric_line

SENTINEL = "PWNED"
"""The file that own code makes when it runs."""
MODULE = f"""open({SENTINEL!r}, "w").close()
class Game:
    players = 2
def make(*given, **named):
    return Game()
"""
CALLABLES = (
    f"subprocess:Popen('touch {SENTINEL}',shell=true)",
    f"subprocess:run('touch {SENTINEL}',shell=true)",
    f"subprocess:check_output('touch {SENTINEL}',shell=true)",
    f"subprocess:getoutput('touch {SENTINEL}')",
    f"os:system('touch {SENTINEL}')",
    f"os:popen('touch {SENTINEL}')",
    f'builtins:eval(\'open("{SENTINEL}","w")\')',
    f"builtins:open({SENTINEL},w)",
    f"pathlib:Path({SENTINEL})",
    f"logging:FileHandler({SENTINEL})",
    f"io:FileIO({SENTINEL},w)",
    "runpy:run_path('hostile.py')",
    "runpy:run_module(hostile)",
    "importlib:import_module(hostile)",
    "hostile:Game",
    "hostile:make(1,n=2)",
    "hostile.py:Game",
    "./hostile.py:make(n=3)",
    " hostile.py:Game ",
    "hostile_package.inside:Game",
    "{folder}/hostile.py:Game",
    "{folder}/../{name}/hostile.py:make()",
)
"""Own code as names of games, rules and agents are written; `{folder}` and `{name}` are where the module lies."""


def place_hostile_code(folder: Path) -> list[str]:
    """Put modules into a folder that leave the sentinel when they are imported; the names that reach them."""
    (folder / "hostile_package").mkdir()
    for file in ("hostile.py", "hostile_package/__init__.py", "hostile_package/inside.py"):
        (folder / file).write_text(MODULE)
    where = {"{folder}": str(folder), "{name}": folder.name}
    return [_filled(text, where) for text in CALLABLES]


def _filled(text: str, where: dict[str, str]) -> str:
    for mark, value in where.items():
        text = text.replace(mark, value)
    return text


class Place(NamedTuple):
    """A text in a run: the file that holds it, and the keys to it."""

    file: str
    keys: tuple[str | int, ...]


def places(run: Path) -> list[Place]:
    """Every text that a run or a saved strategy holds."""
    found = []
    if Run.is_run(run):
        opened = Run.open(run)
        found += [Place(CONFIGURATION, keys) for keys in _texts(_sections(opened))]
        found += [Place(METRICS, keys) for keys in _texts(opened.metrics())]
    for manifest in sorted(run.rglob(MANIFEST)):
        facts = json.loads(manifest.read_bytes())["facts"]
        named = str(manifest.relative_to(run))
        found += [Place(named, keys) for keys in _texts(facts) if keys != ("configuration",)]
    for path in sorted(run.glob("*.json")):
        if path.name != MANIFEST:
            found += [Place(path.name, keys) for keys in _texts(json.loads(path.read_bytes()))]
    return found


def forge(run: Path, copy: Path, place: Place, text: Any) -> Path:
    """A copy of a run with another value at a place, which every checksum says is as it was written."""
    shutil.copytree(run, copy)
    opened = Run.open(copy) if Run.is_run(copy) else None
    if place.file.endswith(MANIFEST):
        _sign(copy / place.file, place.keys, text, None if opened is None else opened.digest)
        return copy
    assert opened is not None
    if place.file == CONFIGURATION:
        _put(_sections(opened), place.keys, text)
        opened._write()
        for manifest in copy.rglob(MANIFEST):
            _sign(manifest, (), None, opened.digest)
    elif place.file == METRICS:
        rows = opened.metrics()
        _put(rows, place.keys, text)
        (copy / METRICS).write_text("".join(map(_metric_line, rows)))
    else:
        document = json.loads((copy / place.file).read_bytes())
        _put(document, place.keys, text)
        (copy / place.file).write_text(json.dumps(document))
    return copy


def _sections(run: Run) -> dict[str, dict[str, Any]]:
    return {"fixed": run.fixed, "adjustable": run.adjustable}


def _sign(path: Path, keys: tuple[str | int, ...], text: Any, configuration: str | None) -> None:
    manifest = json.loads(path.read_bytes())
    del manifest["digest"]
    if "configuration" in manifest["facts"]:
        manifest["facts"]["configuration"] = configuration
    if keys:
        _put(manifest["facts"], keys, text)
    path.write_text(json.dumps({**manifest, "digest": digest_of(manifest)}))


def replaced(document: Any, text: Any) -> Iterator[Any]:
    """Copies of a document, each with another of its texts replaced."""
    for keys in _texts(document):
        copy = deepcopy(document)
        _put(copy, keys, text)
        yield copy


def _texts(document: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(document, str):
        yield keys
    elif isinstance(document, dict):
        for key, value in document.items():
            yield from _texts(value, (*keys, key))
    elif isinstance(document, list):
        for index, value in enumerate(document[:2]):
            yield from _texts(value, (*keys, index))


def _put(document: Any, keys: tuple[str | int, ...], text: Any) -> None:
    *above, last = keys
    for key in above:
        document = document[key]
    document[last] = text
