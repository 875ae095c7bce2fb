"""Experiments in parts, run one after another; each is kept once it is done.

A part runs, keeps what it found as JSON, and has a section of the experiment's page. What it found is a file in the
work folder. A part whose file is there, of the same scale, is not run again unless a part that it is made of has
been, as when an agent that it matches was trained anew. A part that was stopped goes on from what it had measured.

The page is made of parts that were run at different times, and names the commit and the machine of each. What they
found is also in the JSON file beside the page: when some parts are asked for by name, the others stay on the page
as they were. A page has parts of one scale, and is not overwritten by those of another.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from solvent.abstraction.cards.buckets import TABLES, CardAbstraction
from solvent.abstraction.cards.build import build
from solvent.abstraction.cards.presets import PRESETS, Design
from solvent.foundation.errors import InputError
from solvent.foundation.machine import commit, describe_machine
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import Watch
from solvent.foundation.storage.files import write_text
from solvent.foundation.units import span
from solvent_papers.kept import KeptRuns
from solvent_papers.page import Bar, figures_file, markdown_table
from solvent_papers.steps import Say, saying

Found = dict[str, Any]
"""What a part found, ready for JSON."""
SCALES = ("full", "small")


@dataclass(frozen=True)
class PartSetup:
    """What every part of an experiment is given; experiments add fields of their own."""

    cards: Path
    """The folder of card abstractions; those that are missing are made."""
    work: Path
    """The folder in which agents are kept, and what parts found."""
    small: bool
    """Seconds instead of minutes, on tiny cards, to see that it works."""
    threads: int = 2
    """Cores to use."""

    @property
    def scale(self) -> dict[str, Any]:
        """How much is run: what was found at another scale is no result of this one."""
        return {"small": self.small, "threads": self.threads}

    def folder_of(self, cards: str, say: Say) -> Path:
        """The folder of the cards of this name, which are made if they are not there."""
        design = self.design_of(cards)
        folder = self.cards / design.name
        if not (folder / TABLES).is_dir():
            say(f"making the cards {design.name}, {design.label}")
            build(design, folder, self.threads)
        return folder

    def design_of(self, cards: str) -> Design:
        """The design of a preset; at small scale tiny stands for all of them."""
        return PRESETS["tiny" if self.small else cards]

    def load(self, cards: str, say: Say) -> CardAbstraction:
        """The cards of this name."""
        return _opened(self.folder_of(cards, say))


@cache
def _opened(folder: Path) -> CardAbstraction:
    """The cards of a folder, checked once."""
    return CardAbstraction.load(folder)


S = TypeVar("S", bound=PartSetup)


class Part(NamedTuple, Generic[S]):
    """A part of an experiment."""

    name: str
    run: Callable[[S, KeptRuns, Say], Found]
    """Measure. `KeptRuns` has what the part found before it was stopped; every measurement is added to it."""
    section: Callable[[Found], str]
    """The part's section of the page, from its heading of second level on; empty where others speak of it."""
    figures: Callable[[Found], Mapping[str, float]]
    """The part's figures for the ledger, by names that no other part has."""
    bars: Callable[[Found], list[Bar]]
    """What we had asked of the part before it was measured."""
    made_of: tuple[str, ...] = ()
    """The names of the parts whose findings this one uses, all of them before it."""


class PartResult(NamedTuple):
    """What a part found, and where it comes from."""

    part: Part[Any]
    commit: str
    seconds: float
    found: Found
    scale: dict[str, Any]
    """How much was run."""
    remark: str = ""
    """What readers of the page should know of this run, such as what else the machine did."""
    machine: str = ""
    """Where it was run; empty in records that do not tell."""


def once(kept: KeptRuns, setting: Mapping[str, Any], measure: Callable[[], Any]) -> Any:
    """What a setting gave before the part was stopped, or what it gives now, which is kept."""
    found = kept.find(setting)
    if found is None:
        found = measure()
        kept.add(setting, found)
    return found


def run_parts(
    parts: Sequence[Part[S]],
    setup: S,
    names: Sequence[str] = (),
    again: bool = False,
    watch: Watch | None = None,
    page: Path | None = None,
    remark: str = "",
) -> list[PartResult]:
    """Run the parts of these names, or all, that have not been run or are outdated; return all that have been run.

    Parts that are not asked for are taken from `page` if they were not run in this work folder. `remark` goes with
    the parts that are run.
    """
    known = [part.name for part in parts]
    for name in names:
        if name not in known:
            raise InputError(
                f"there is no part {name!r}; there are {', '.join(known)}{did_you_mean(name, known)}"
            )
    say, results, on_page = saying(watch), [], {} if page is None else _on_page(page)
    for record in on_page.values():
        if not _is_of_scale(setup, record):
            raise InputError(
                f"{page} has results of another scale ({_scale_text(record.get('scale', {}))}), which would be "
                f"lost; have these ({_scale_text(setup.scale)}) written elsewhere with --out"
            )
    for part in parts:
        asked = not names or part.name in names
        done = None if asked and (again or _is_outdated(setup, part)) else _read(setup, part)
        if done is None and asked:
            done = _run(setup, part, partial(_say_of, say, part.name), remark)
        if done is None:
            done = _result(setup, part, on_page.get(part.name, {}))
        if done is not None:
            results.append(done)
    return results


def _say_of(say: Say, name: str, step: str) -> None:
    say(f"{name}: {step}")


def _run(setup: S, part: Part[S], say: Say, remark: str) -> PartResult:
    unfinished = setup.work / "parts" / f"{part.name}-unfinished.jsonl"
    made_of = _made_of(setup, part)
    kept, begun = KeptRuns(unfinished, setup.scale | {"made_of": made_of}), time.perf_counter()
    found = part.run(setup, kept, say)
    record = {
        "scale": setup.scale,
        "made_of": made_of,
        "commit": commit(),
        "machine": describe_machine(),
        "seconds": time.perf_counter() - begun,
        "remark": remark,
        "found": found,
    }
    write_text(_file(setup, part.name), json.dumps(record, indent=1) + "\n")
    unfinished.unlink()
    done = _read(setup, part)
    assert done is not None
    return done


def _made_of(setup: S, part: Part[S]) -> dict[str, str | None]:
    """Fingerprints of what the parts found that a part is made of; None for one that has not been run."""
    found = {name: finished(setup, name) for name in part.made_of}
    return {name: None if each is None else _fingerprint(each) for name, each in found.items()}


def _fingerprint(found: Found) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def _is_outdated(setup: S, part: Part[S]) -> bool:
    """Whether a part that this one is made of has been run since; not where the record does not tell."""
    known = _record(setup, part.name).get("made_of")
    return known is not None and known != _made_of(setup, part)


def _read(setup: S, part: Part[S]) -> PartResult | None:
    """What a part found, if it has been run at this scale."""
    return _result(setup, part, _record(setup, part.name))


def finished(setup: PartSetup, name: str) -> Found | None:
    """What the part of this name found, if it has been run at this scale; for parts that are made of others."""
    record = _record(setup, name)
    return record["found"] if _is_of_scale(setup, record) else None


def found_by(setup: PartSetup, name: str) -> Found:
    """What another part found, which the one that asks is made of."""
    found = finished(setup, name)
    if found is None:
        raise InputError(f"what the part {name} finds is needed: run that part first")
    return found


def _record(setup: PartSetup, name: str) -> dict[str, Any]:
    """What the work folder has of a part, at whatever scale."""
    return _json_of(_file(setup, name))


def _json_of(path: Path) -> dict[str, Any]:
    """What is in a JSON file; nothing if there is none."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text())
    except ValueError as error:
        raise InputError(f"{path} is damaged; remove it to have what it held measured again") from error
    return content if isinstance(content, dict) else {}


def _on_page(page: Path) -> dict[str, Any]:
    """The records of the parts that a page was made of, by their names."""
    parts: dict[str, Any] = _json_of(figures_file(page)).get("parts", {})
    return parts


def _result(setup: S, part: Part[S], record: Mapping[str, Any]) -> PartResult | None:
    """What a record says that a part found, if it is of this scale."""
    if not _is_of_scale(setup, record):
        return None
    try:  # the form of what parts find may change from one version to another
        result = PartResult(
            part,
            record["commit"],
            record["seconds"],
            record["found"],
            record["scale"],
            record.get("remark", ""),
            record.get("machine", ""),
        )
        part.section(result.found), part.figures(result.found), part.bars(result.found)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"what the part {part.name} found at commit {record.get('commit')} is kept in a form that this version "
            f"does not read; run it again with --part {part.name} --again"
        ) from error
    return result


def _scale_text(scale: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in scale.items())


def _is_of_scale(setup: PartSetup, record: Mapping[str, Any]) -> bool:
    return bool(record.get("scale") == json.loads(json.dumps(setup.scale)))


def records(results: Sequence[PartResult]) -> dict[str, Any]:
    """What a page's JSON file says of its parts, by their names."""
    kept = ("scale", "commit", "machine", "seconds", "remark", "found")
    return {each.part.name: {name: getattr(each, name) for name in kept} for each in results}


def _file(setup: PartSetup, name: str) -> Path:
    return setup.work / "parts" / f"{name}.json"


def figures_and_bars(results: Sequence[PartResult]) -> tuple[dict[str, float], list[Bar]]:
    """The figures of all parts by name, and the bars that we had set them."""
    figures = {name: value for each in results for name, value in each.part.figures(each.found).items()}
    return figures, [bar for each in results for bar in each.part.bars(each.found)]


def parts_text(parts: Sequence[Part[Any]], results: Sequence[PartResult]) -> str:
    """A table of how long each part took, at which commit and where; remarks; and which parts have not been run."""
    rows = [
        [each.part.name, span(each.seconds), each.commit, each.machine or "not noted"] for each in results
    ]
    table = "A part is run alone by `--part NAME`.\n\n"
    table += markdown_table(["part", "took", "at commit", "on"], rows)
    remarks: dict[str, list[str]] = {}
    for each in results:
        if each.remark:
            remarks.setdefault(each.remark, []).append(each.part.name)
    for remark, names in remarks.items():
        table += f"\n{', '.join(names)}: {remark}\n"
    absent = [part.name for part in parts if part.name not in {each.part.name for each in results}]
    return table + (f"\nNot run: {', '.join(absent)}.\n" if absent else "")


def is_small(scale: str) -> bool:
    """Whether `--scale` asks for the small one."""
    if scale not in SCALES:
        raise InputError(f"--scale is full or small, not {scale!r}")
    return scale == "small"
