"""Measuring a run part by part, and the file of its measurements: `evaluation.json` in the run's folder.

Solved games (`solved_parts`) and trained agents (`agent_parts`) are measured by one loop. Each part is kept as soon
as it is done, so a stop loses no more than the part under way.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any, Protocol

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import SIZED, TOLD, Held, Progress, Stop, Watch
from solvent.foundation.storage.files import write_text

FILE = "evaluation.json"
KEPT = 8
"""Strategies that the file speaks of: checkpoints and post-processings."""
SAME = ("iterations", "post")
"""Facts that two evaluations of one strategy share."""


class Measured(Protocol):
    """A strategy that can be measured part by part."""

    @property
    def folder(self) -> Path | None:
        """The run's folder, where what is found is kept; None where there is no run, or nothing can be written."""

    facts: dict[str, Any]
    """Facts of the strategy for the file besides its parts, `SAME` included."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts that can be measured, in order."""

    @property
    def usual(self) -> tuple[str, ...]:
        """Parts that are measured by default."""

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Measure a part and store the findings under its name, or names, in `found`.

        Returns whether the part was measured to its end. Until then `found` holds the findings so far.
        """


def evaluate(
    measured: Measured,
    parts: tuple[str, ...] | None = None,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Measure parts of a strategy, the usual ones by default, keep each when it is done, and return the findings.

    A stop ends it with those so far; Ctrl-C raises `Interrupted` with them as its result.
    """
    chosen = check_parts(measured, parts)
    folder = measured.folder
    if folder is not None:
        check_writable(folder)
        read_evaluations(folder)  # a damaged file is refused before anything is measured
    stop = stop or Stop()
    done: dict[str, bool] = {}
    document: dict[str, Any] = {**measured.facts, "parts": done, "complete": False}
    held = Held(stop)
    with held:
        for number, part in enumerate(chosen):

            def seen(now: Progress, stage: str = f"{part} ({number + 1} of {len(chosen)})") -> None:
                if watch is not None and now.stage in (SIZED, TOLD):
                    watch(now)
                elif watch is not None:
                    watch(Progress(stage, now.done, now.total, now.detail, now.unit))

            stop.check()
            done[part] = False
            done[part] = measured.measure(part, document, seen, stop)
            document["complete"] = all(done.get(each) for each in chosen)
            if folder is not None:
                save(folder, document)
            if not done[part]:
                break
    if not document["complete"] and done and folder is not None:
        save(folder, document)
    return held.result(document)


def check_parts(measured: Measured, parts: tuple[str, ...] | None) -> tuple[str, ...]:
    """Sort the parts to measure into their own order; names that the strategy does not have are refused."""
    if parts is None:
        return measured.usual
    unknown = [part for part in parts if part not in measured.parts]
    if unknown or not parts:
        what = measured.facts["run"] if "run" in measured.facts else measured.facts["agent"]
        raise InputError(
            f"the parts of an evaluation of {what} are {', '.join(measured.parts)}, "
            f"not {', '.join(unknown) or 'none'}{did_you_mean(unknown[0], measured.parts) if unknown else ''}"
        )
    return tuple(part for part in measured.parts if part in parts)


def check_writable(folder: Path) -> None:
    """Refuse a folder in which no file can be written."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"cannot write in {folder}: {error.strerror or error}") from error


def save(folder: Path, document: dict[str, Any]) -> None:
    """Write a document to the folder's file.

    The file keeps the evaluations of other strategies of the run, and of this one the parts that the document
    does not have, or does not have to their end.
    """
    others, kept = [], dict[str, Any]()
    for found in read_evaluations(folder):
        if _is_same(found, document):
            kept = found
        else:
            others.append(found)
    finished = kept.get("parts", {})
    parts = {**{part: True for part in finished if finished[part]}, **document["parts"]}
    newest = {**kept, **document}
    for part, whole in document["parts"].items():
        if not whole and finished.get(part):  # half of a part does not replace the whole
            parts[part], newest[part] = True, kept[part]
    newest |= {"parts": parts, "complete": all(parts.values())}
    evaluations = [newest, *others][:KEPT]
    written = {"evaluations": evaluations, "digest": _digest_of(evaluations)}
    write_text(folder / FILE, json.dumps(written, indent=1) + "\n")


def known(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Look up the document's strategy in a run's file; the document itself where the file lacks it."""
    return next((found for found in read_evaluations(folder) if _is_same(found, document)), document)


def _is_same(found: dict[str, Any], document: dict[str, Any]) -> bool:
    return all(found.get(key) == document.get(key) for key in SAME)


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """Read a run's evaluations, one for each strategy, the last measured first; empty where there is no file."""
    path = folder / FILE
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may have no end
            raise ValueError("it is not a file")
        written = json.loads(path.read_text(encoding="utf-8"))
        found = written["evaluations"]
        if not isinstance(found, list) or not all(
            isinstance(each, dict) and isinstance(each.get("parts", {}), dict) for each in found
        ):
            raise ValueError("it is not a list of evaluations")
        if written["digest"] != _digest_of(found):
            raise ValueError("it has been changed since it was written")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except KeyError as error:
        raise InputError(f"{path} is damaged: it has no {error}; move it away, and evaluate again") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}; move it away, and evaluate again") from error
    return list(found)


def _digest_of(evaluations: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(evaluations, sort_keys=True).encode()).hexdigest()
