"""The parts of `solvent reproduce tartanian7`, run one after another; each is kept once it is done.

What a part found is a JSON file in the work folder. A part whose file is there, of the same scale, is not run
again, so that the page can be made of parts that were run at different times; it names the commit of each.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from solvent.experiments.kept import KeptRuns
from solvent.experiments.steps import Say, saying
from solvent.experiments.tartanian7.cluster.cost import COST
from solvent.experiments.tartanian7.cluster.figure_one import FIGURE_ONE
from solvent.experiments.tartanian7.cluster.part import Found, Part, Setup
from solvent.experiments.tartanian7.cluster.resumed import RESUMED
from solvent.experiments.tartanian7.cluster.staleness import STALENESS
from solvent.experiments.tartanian7.cluster.table_one import TABLE_ONE
from solvent.foundation.errors import InputError
from solvent.foundation.machine import commit
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import Watch

PARTS: tuple[Part, ...] = (FIGURE_ONE, TABLE_ONE, COST, RESUMED, STALENESS)
"""In the order in which they are run and stand on the page. Table 1 plays with what Figure 1 trained."""


@dataclass(frozen=True)
class PartResult:
    """What a part found, and where it comes from."""

    part: Part
    commit: str
    seconds: float
    found: Found


def run(
    setup: Setup, names: Sequence[str] = (), again: bool = False, watch: Watch | None = None
) -> list[PartResult]:
    """Run the parts of these names, or all, that have not been run; return all that have been."""
    known = [part.name for part in PARTS]
    for name in names:
        if name not in known:
            raise InputError(
                f"there is no part {name!r}; there are {', '.join(known)}{did_you_mean(name, known)}"
            )
    say, results = saying(watch), []
    for part in PARTS:
        asked = not names or part.name in names
        done = None if asked and again else _read(setup, part)
        if done is None and asked:
            done = _run(setup, part, partial(_say_of, say, part.name))
        if done is not None:
            results.append(done)
    return results


def _say_of(say: Say, name: str, step: str) -> None:
    say(f"{name}: {step}")


def _run(setup: Setup, part: Part, say: Say) -> PartResult:
    unfinished = setup.work / "parts" / f"{part.name}-unfinished.jsonl"
    kept, begun = KeptRuns(unfinished, _scale(setup)), time.perf_counter()
    found = part.run(setup, kept, say)
    record = {
        "scale": _scale(setup),
        "commit": commit(),
        "seconds": time.perf_counter() - begun,
        "found": found,
    }
    _file(setup, part).write_text(json.dumps(record, indent=1) + "\n")
    unfinished.unlink()
    done = _read(setup, part)
    assert done is not None
    return done


def _read(setup: Setup, part: Part) -> PartResult | None:
    """What a part found, if it has been run at this scale."""
    path = _file(setup, part)
    record = json.loads(path.read_text()) if path.exists() else {}
    if record.get("scale") != _scale(setup):
        return None
    return PartResult(part, record["commit"], record["seconds"], record["found"])


def _scale(setup: Setup) -> dict[str, int | bool]:
    return {"small": setup.small, "threads": setup.threads, "batch": setup.batch, "ahead": setup.ahead}


def _file(setup: Setup, part: Part) -> Path:
    return setup.work / "parts" / f"{part.name}.json"
