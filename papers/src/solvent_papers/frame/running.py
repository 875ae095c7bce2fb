"""Runs the parts of an experiment and keeps a record of each.

A part's record is a file in the work folder. A part whose record is there, of the same scale, is not run again
unless the findings of a part that it is made of have changed since. A part that was stopped resumes after its last
measurement.

The parts of a page may be run at different times. Their records are also in the JSON file beside the page: when
some parts are asked for by name, the others stay on the page as they were. A page has parts of one scale, and is
not overwritten by those of another.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import Progress, Watch
from solvent.foundation.storage.files import write_text
from solvent_papers.frame.experiment import Experiment, Found, Part, S, Say, Setup
from solvent_papers.frame.machine import commit, describe_machine

SAID_PERCENT = 5
"""A long step reports whenever this many more percent of it are done."""


class Record(NamedTuple):
    """The findings of a part, and where they come from."""

    scale: dict[str, Any]
    commit: str
    machine: str
    seconds: float
    """0 in records that do not tell."""
    remark: str
    """A sentence about this run for readers of the page, such as what else the machine did."""
    found: Found


class KeptRuns:
    """Measurements by setting, one line of JSON each, in a file from which a part that was stopped resumes.

    The first line is the commit and the scale; if these have changed since, everything is measured again, and so is
    a line that was cut short because its writer was killed.
    """

    def __init__(self, path: Path | None = None, scale: Mapping[str, Any] | None = None) -> None:
        """Read what is there. Without a path nothing is kept."""
        self._path, self._found = path, dict[str, Any]()
        if path is None:
            return
        head = json.dumps({"commit": commit(), **(scale or {})})
        lines = path.read_text().splitlines() if path.exists() else []
        if lines[:1] != [head]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head + "\n")
            return
        for number, line in enumerate(lines[1:], start=1):
            try:
                row = json.loads(line)
            except ValueError:
                write_text(path, "\n".join(lines[:number]) + "\n")
                return
            self._found[_key(row["setting"])] = row["found"]

    def find(self, setting: Mapping[str, Any]) -> Any:
        """Return the measurement of a setting, or None if there is none."""
        return self._found.get(_key(setting))

    def add(self, setting: Mapping[str, Any], found: Any) -> None:
        """Append the measurement of a setting."""
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps({"setting": setting, "found": found}) + "\n")

    def once(self, setting: Mapping[str, Any], measure: Callable[..., Any], *given: Any) -> Any:
        """Return the measurement of a setting from before the part was stopped, or measure it now and keep it.

        `measure` is called with all else that is given.
        """
        found = self.find(setting)
        if found is None:
            found = measure(*given)
            self.add(setting, found)
        return found

    def row(self, setting: Mapping[str, Any], measure: Callable[..., Any], *given: Any) -> Found:
        """Return a setting with its measurement, which is a row of named numbers."""
        return {**setting, **self.once(setting, measure, *given)}


def _key(setting: Mapping[str, Any]) -> str:
    return json.dumps(setting, sort_keys=True)


def run_parts(
    experiment: Experiment[S],
    setup: S,
    names: Sequence[str] = (),
    again: bool = False,
    watch: Watch | None = None,
    page: Path | None = None,
    remark: str = "",
) -> dict[str, Record]:
    """Run the parts of these names, or all, that have not been run or are outdated; return all that have been run.

    Parts that are not asked for are taken from `page` if they were not run in this work folder. `remark` is
    recorded with the parts that are run.
    """
    known = [part.name for part in experiment.parts]
    for name in names:
        if name not in known:
            raise InputError(
                f"there is no part {name!r}; there are {', '.join(known)}{did_you_mean(name, known)}"
            )
    on_page = {} if page is None else read_json(page.with_suffix(".json")).get("parts", {})
    for record in on_page.values():
        if not _is_of_scale(setup, record):
            raise InputError(
                f"{page} has results of another scale ({_scale_text(record.get('scale', {}))}), which would be "
                f"lost; have these ({_scale_text(setup.scale)}) written elsewhere"
            )
    say, records = saying(watch), dict[str, Record]()
    for part in experiment.parts:
        asked = not names or part.name in names
        kept = {} if asked and (again or _is_outdated(setup, part)) else _known(setup, part.name)
        if asked and not kept:
            records[part.name] = _run(setup, part, say, remark)
        elif kept or part.name in on_page:
            records[part.name] = checked(part, kept or on_page[part.name])
    return records


def _run(setup: S, part: Part[S], say: Say, remark: str) -> Record:
    unfinished = setup.work / "parts" / f"{part.name}-unfinished.jsonl"
    made_of = _made_of(setup, part)
    kept, begun = KeptRuns(unfinished, setup.scale | {"made_of": made_of}), time.perf_counter()
    found = part.run(setup, kept, lambda step: say(f"{part.name}: {step}"))
    seconds = time.perf_counter() - begun
    record = Record(setup.scale, commit(), describe_machine(), seconds, remark, found)
    text = json.dumps({**record._asdict(), "made_of": made_of}, indent=1)
    write_text(_file(setup, part.name), text + "\n")
    unfinished.unlink()
    return checked(part, json.loads(text))


def _made_of(setup: S, part: Part[S]) -> dict[str, str | None]:
    """Return fingerprints of the findings that a part is made of; None for a part that has not been run."""
    found = {name: finished(setup, name) for name in part.made_of}
    texts = {name: None if each is None else json.dumps(each, sort_keys=True) for name, each in found.items()}
    return {name: text and hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}


def _is_outdated(setup: S, part: Part[S]) -> bool:
    """Return whether the record names findings, of parts of which this one is made, that have changed since."""
    known = read_json(_file(setup, part.name)).get("made_of")
    return known is not None and known != _made_of(setup, part)


def _known(setup: Setup, name: str) -> dict[str, Any]:
    """Return the record of a part in the work folder; an empty one if there is none of this scale."""
    record = read_json(_file(setup, name))
    return record if _is_of_scale(setup, record) else {}


def checked(part: Part[Any], record: Mapping[str, Any]) -> Record:
    """Return a record that was kept as JSON, or refuse findings in the form of another version."""
    try:
        result = Record(**{name: value for name, value in record.items() if name != "made_of"})
        part.figures(result.found)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"what the part {part.name} found at commit {record.get('commit')} is kept in a form that this version "
            f"does not read; run it again with --part {part.name} --again"
        ) from error
    return result


def finished(setup: Setup, name: str) -> Found | None:
    """Return the findings of the part of this name, if it has been run at this scale."""
    return _known(setup, name).get("found")


def found_by(setup: Setup, name: str) -> Found:
    """Return the findings of another part, which the caller needs."""
    found = finished(setup, name)
    if found is None:
        raise InputError(f"what the part {name} finds is needed: run that part first")
    return found


def read_json(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file, or an empty one if there is no file."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is damaged; remove it to have what it held measured again") from error
    return content if isinstance(content, dict) else {}


def _scale_text(scale: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in scale.items())


def _is_of_scale(setup: Setup, record: Mapping[str, Any]) -> bool:
    return bool(record.get("scale") == json.loads(json.dumps(setup.scale)))


def _file(setup: Setup, name: str) -> Path:
    return setup.work / "parts" / f"{name}.json"


def saying(watch: Watch | None) -> Say:
    """Return a function that reports each step it is told of as a `Progress`, numbered from 1."""
    if watch is None:
        return lambda step: None
    number = count(1)
    return lambda step: watch(Progress(step, next(number)))


def within(say: Say, step: str) -> Watch:
    """Say that a step begins, and return a `Watch` that says the percentage of it that is done."""
    say(step)
    said = 0

    def watch(now: Progress) -> None:
        nonlocal said
        percent = int(100 / SAID_PERCENT * now.done / now.total) * SAID_PERCENT if now.total else 0
        if percent > said:
            said = percent
            say(f"{step}, {percent} % done")

    return watch
