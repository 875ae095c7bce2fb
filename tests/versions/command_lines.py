"""Whether two versions of solvent answer the same command lines alike, to the last digit.

python tests/versions/command_lines.py run OLD --to old.json --keep made     # OLD: a checkout of the older version
python tests/versions/command_lines.py run . --to new.json
python tests/versions/command_lines.py compare old.json new.json

Runs of an older version, opened by both:

python tests/versions/command_lines.py run OLD --on made --to old-opened.json
python tests/versions/command_lines.py run . --on made --to new-opened.json

The command lines are data: `commands.txt` makes runs, `opened.txt` opens what the first list left in a folder.
`compare` ends with code 1 where it finds a difference that `LEFT_OUT` does not name.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

LEFT_OUT = {
    "seconds", "seconds_per_iteration", "build_seconds", "compile_seconds", "first_iteration_seconds",
    "measuring_seconds", "look_seconds", "adding_seconds", "elapsed", "idle", "latency", "rate", "rows_rate",
    "bytes_rate", "hands_per_second", "peak_memory_bytes", "created", "digest", "configuration", "crc32",
}  # fmt: skip
"""Keys of JSON and TOML with which two runs of one version differ: times, memory, and checksums of what has times.

`configuration` and `digest` are checksums of settings, which stand beside them and are compared.
"""
LINES_LEFT_OUT = re.compile(
    r"^│ (time|elapsed|peak memory|made in) |, in [\d.]+ m?s$|, latency [\d.]+ ms|solvent: [\d.]+ KiB"
)
"""Lines and texts with such figures."""
FILES_LEFT_OUT = re.compile(r"(^|/)\.verified$|^runs/.*/report\.html$|\.(solvent|pickle)$")
"""Files with such figures, by their path. OpenSpiel's policies hold the state of a generator of random numbers."""
GONE = re.compile(r"/(prune_near|prune_length)$|/(settings|adjustable)/locks$")
"""Places of documents that only the older version has, as the changelog says."""
TEXT_AT_MOST = 100_000
"""Other files that are larger are kept as a checksum."""
SECONDS = 600
"""Time that a command may take."""


def commands(name: str) -> list[str]:
    """The command lines of a list."""
    lines = (HERE / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def run(checkout: Path, folder: Path, name: str, python: str, only: str) -> dict[str, Any]:
    """Run a list with the code of a checkout: exit code and output by command line, and the files that are left."""
    environment = os.environ | {
        "PYTHONPATH": str(checkout.resolve() / "src"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "PYTHONHASHSEED": "0",
    }
    answers = {}
    for line in commands(name):
        if only and not re.search(only, line):
            continue
        command, _, source = line.partition(" < ")
        began = time.monotonic()
        with (folder / source).open() if source else open(os.devnull) as stdin:
            done = subprocess.run(
                [python, "-m", "solvent", *shlex.split(command)],
                cwd=folder,
                env=environment,
                stdin=stdin,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        print(f"{time.monotonic() - began:6.1f} s, code {done.returncode}: {line}", file=sys.stderr)
        answers[line] = {"code": done.returncode, "out": _read(_without(done.stdout, folder))}
        if done.returncode:
            answers[line]["error"] = _without(done.stderr, folder).splitlines()[-1:]
    files = {
        path.relative_to(folder).as_posix(): _content(path, folder)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {"commands": answers, "files": files}


def _without(text: str, folder: Path) -> str:
    return text.replace(str(folder.resolve()), "FOLDER").replace(str(folder), "FOLDER")


def _read(text: str) -> Any:
    """A JSON document, or the lines of a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text.splitlines()


def _content(path: Path, folder: Path) -> Any:
    """What a file holds, by names where it has them, or a checksum."""
    data = path.read_bytes()
    try:
        text = _without(data.decode(), folder)
    except UnicodeDecodeError:
        text = ""
    if path.suffix == ".toml" and text:
        return tomllib.loads(text)
    if path.suffix == ".jsonl" and text:
        return [_read(line) for line in text.splitlines()]
    if text and (len(text) <= TEXT_AT_MOST or path.suffix == ".json"):
        return _read(text)
    return hashlib.sha256(data).hexdigest()


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """A sentence for each place at which two documents differ, but for what is left out."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new} - LEFT_OUT):
            if key not in new and not GONE.search(f"{place}/{key}"):
                yield f"{place}/{key}: only old: {_short(old[key])}"
            elif key not in old:
                yield f"{place}/{key}: only new: {_short(new[key])}"
            elif key in new:
                yield from differences(old[key], new[key], f"{place}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        old, new = ([each for each in lines if not _left_out(each)] for lines in (old, new))
        if len(old) != len(new):
            yield f"{place}: {len(old)} became {len(new)}: {_short(old)} became {_short(new)}"
        for number, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
    elif type(old) is not type(new) or not (old == new or _left_out(old) or (_is_nan(old) and _is_nan(new))):
        yield f"{place}: {_short(old)} became {_short(new)}"


def _left_out(line: Any) -> bool:
    return isinstance(line, str) and LINES_LEFT_OUT.search(line) is not None


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 160 else f"{text[:157]}..."


def compare(old: dict[str, Any], new: dict[str, Any], most: int) -> int:
    """Print what two files of answers do not share, and count it."""
    count = 0
    for kind in ("commands", "files"):
        for name in dict.fromkeys((*old[kind], *new[kind])):
            if kind == "files" and FILES_LEFT_OUT.search(name):
                continue
            both = [{name: each[kind][name]} if name in each[kind] else {} for each in (old, new)]
            found = list(differences(*both))
            count += len(found)
            for sentence in found[:most]:
                print(sentence)
            if len(found) > most:
                print(f"  ... and {len(found) - most} more")
    codes = [answer["code"] for answer in new["commands"].values()]
    print(f"{len(codes)} command lines, {len(new['files'])} files, {count} differences")
    return count


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run", help="run a list with the code of a checkout")
    runs.add_argument("checkout", type=Path)
    runs.add_argument("--to", type=Path, required=True, help="the file of answers")
    runs.add_argument("--keep", type=Path, help="keep the folder with its runs here")
    runs.add_argument("--on", type=Path, help="run opened.txt on a copy of this folder")
    runs.add_argument("--python", default=sys.executable)
    runs.add_argument("--only", default="", help="command lines that this pattern finds")
    compares = verbs.add_parser("compare", help="print how two files of answers differ")
    compares.add_argument("old", type=Path)
    compares.add_argument("new", type=Path)
    compares.add_argument("--most", type=int, default=8, help="differences of a command to print")
    asked = parser.parse_args()
    if asked.verb == "compare":
        return bool(compare(*(json.loads(path.read_text()) for path in (asked.old, asked.new)), asked.most))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "made"
        shutil.copytree(asked.on or HERE / "inputs", folder, symlinks=True)
        shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
        name = "opened.txt" if asked.on else "commands.txt"
        answers = run(asked.checkout, folder, name, asked.python, asked.only)
        asked.to.write_text(json.dumps(answers, indent=1))
        if asked.keep:
            shutil.move(folder, asked.keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
