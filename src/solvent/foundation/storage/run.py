"""Runs: the folder of a long computation, from which it can be continued whenever it was stopped.

    run.toml         what was asked for: kind, version, date, configuration, and a digest of all of it
    checkpoints/N/   a bundle of tables after N iterations
    metrics.jsonl    a line for each measurement, with a checksum of its own

Solves of games and of spots, reports on flops, trainings and buildings of card abstractions are runs of five kinds.
Their configuration has two parts: what is fixed decides what the run computes, and each checkpoint holds a digest
of it; what is adjustable, limits and threads for instance, may change whenever the run is resumed. A run can be
killed at any moment. A folder in which a run began, but that has no `run.toml` yet, holds nothing of value: a new
run takes it over.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import tomllib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import WriteOthers, digest_of, read_bundle, read_facts, write_bundle
from solvent.foundation.storage.files import (
    LOCK,
    can_write_in,
    existing_folder,
    held,
    is_half_written,
    remove_half_written,
    write_text,
)
from solvent.foundation.version import __version__

CONFIGURATION = "run.toml"
CHECKPOINTS = "checkpoints"
METRICS = "metrics.jsonl"
CREATING = ".creating"
"""Stands in the folder of a run until its first files are complete."""
FORMAT = 2
KINDS = {
    "solve": "a solve",
    "training": "a training",
    "cards": "a card abstraction",
    "spot": "a spot",
    "report": "a report on flops",
}
"""Kinds of runs, as messages name them."""

Tables = Mapping[str, NDArray[Any]]
Checkpoint = tuple[dict[str, NDArray[Any]], dict[str, Any]]
"""Tables and facts."""


@dataclass(frozen=True)
class Retention:
    """The choice of checkpoints that are kept."""

    newest: int = 2
    """The newest and, should it be damaged, the one before."""
    older: int = 0
    """Checkpoints kept beside them: the last one of each of this many earlier spans of iterations."""
    apart: int = 4
    """Each span has this many times as many iterations as the span before."""

    def superseded(self, checkpoints: Sequence[int]) -> list[int]:
        """Those of some checkpoints, oldest first, that need not be kept.

        >>> Retention(older=2).superseded([10, 20, 60, 70, 200, 250, 255])
        [20, 70, 200]
        """

        def span(iterations: int) -> int:
            return int(math.log(max(1, iterations), self.apart) + 1e-9)

        if not checkpoints:
            return []
        now = span(checkpoints[-1])
        last_of = {span(iterations): iterations for iterations in checkpoints}
        kept = {last_of[each] for each in range(now - self.older, now) if each in last_of}
        return [iterations for iterations in checkpoints[: -self.newest] if iterations not in kept]


class Run:
    """A run's folder."""

    def __init__(
        self,
        folder: Path,
        kind: str,
        fixed: Mapping[str, Any],
        adjustable: Mapping[str, Any],
        retention: Retention,
        made: Mapping[str, Any],
    ) -> None:
        self.folder, self.kind, self.retention = folder, kind, retention
        self.fixed, self.adjustable, self.made = dict(fixed), dict(adjustable), dict(made)

    @property
    def configuration(self) -> dict[str, Any]:
        """All settings of the run, by name."""
        return {**self.fixed, **self.adjustable}

    @staticmethod
    def is_run(folder: Path) -> bool:
        return (folder / CONFIGURATION).is_file()

    # Beginning and opening

    @classmethod
    def check_new(cls, folder: str | Path) -> None:
        """Refuse a folder that cannot become a run. One in which a run began and left nothing is accepted."""
        folder = Path(folder)
        if cls.is_run(folder):
            raise InputError(f"{folder} already holds a run; resume it by --resume, or choose another folder")
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; choose a new folder")
        if folder.is_dir() and not _is_unused(folder):
            raise InputError(
                f"{folder} holds files that are not a run's; choose another folder, or empty this one"
            )
        above = existing_folder(folder)
        if not can_write_in(above):
            raise InputError(f"cannot make the folder {folder}: {above} is not a folder to write in")

    @classmethod
    def create(
        cls,
        folder: str | Path,
        kind: str,
        fixed: Mapping[str, Any],
        adjustable: Mapping[str, Any] | None = None,
        *,
        retention: Retention | None = None,
        parts: Mapping[str, Tables] | None = None,
        tables: Tables | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Run:
        """Begin a run in a new folder.

        fixed, adjustable: the two parts of the configuration, scalars and lists by name; None is not written
        parts: bundles that are written once, by their names in the folder
        tables, facts: the checkpoint that the run starts from, if it needs one
        """
        folder = Path(folder)
        cls.check_new(folder)
        existed = folder.is_dir()
        made = {"version": __version__, "created": datetime.now(UTC).isoformat(timespec="seconds")}
        run = cls(folder, kind, _present(fixed), _present(adjustable or {}), retention or Retention(), made)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with held(folder):
                cls.check_new(folder)
                _empty(folder)
                write_text(folder / CREATING, "")
                try:
                    for name, arrays in (parts or {}).items():
                        write_bundle(folder / name, arrays, {"configuration": run.digest})
                    if tables is not None:
                        run.save_checkpoint(0, tables, facts or {})
                    run._write()  # last: a folder with a configuration is complete
                except BaseException:
                    _empty(folder)
                    raise
                (folder / CREATING).unlink()
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror or error}") from error
        finally:
            if not existed and not cls.is_run(folder):
                shutil.rmtree(folder, ignore_errors=True)
        return run

    @classmethod
    def open(cls, folder: str | Path, kind: str | None = None) -> Run:
        """An existing run, if it is of this kind."""
        folder = Path(folder)
        path = folder / CONFIGURATION
        written = _read_configuration(folder)
        found = written.get("kind")
        if found not in KINDS:
            raise InputError(f"{path} has kind {found!r}, which this version of solvent does not know")
        if kind is not None and found != kind:
            raise InputError(f"{folder} holds {KINDS[found]}, not {KINDS[kind]}")
        try:
            retention = Retention(**written["keep"])
            made = {key: written[key] for key in ("version", "created")}
            return cls(folder, found, written["fixed"], written["adjustable"], retention, made)
        except (KeyError, TypeError) as error:
            raise InputError(f"{path} is damaged: it lacks what every run says of itself") from error

    def configure(self, changes: Mapping[str, Any]) -> None:
        """Change what is adjustable; None removes a setting."""
        for name in changes.keys() & self.fixed.keys():
            if changes[name] != self.fixed[name]:
                raise InputError(
                    f"{self.folder} began with {name} {self.fixed[name]}; it cannot go on with {changes[name]}"
                )
        adjusted = {key: value for key, value in changes.items() if key not in self.fixed}
        self.adjustable = _present({**self.adjustable, **adjusted})
        self._write()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for writing; a second process that tries is refused."""
        with held(self.folder):
            (self.folder / CREATING).unlink(missing_ok=True)
            for folder in (self.folder, self.folder / CHECKPOINTS):
                remove_half_written(folder)
            yield

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Keep other processes from writing the run while it is read; where nobody can write, nothing is held."""
        with self.locked() if can_write_in(self.folder) else nullcontext():
            yield

    @property
    def digest(self) -> str:
        """A digest of what is fixed: checkpoints with another one are not this run's."""
        return digest_of({"kind": self.kind, "fixed": self.fixed})

    def _write(self) -> None:
        written = {"format": FORMAT, "kind": self.kind, **self.made}
        sections = {"keep": vars(self.retention), "fixed": self.fixed, "adjustable": self.adjustable}
        text = _to_toml({**written, "digest": digest_of({**written, **sections})}, sections)
        write_text(self.folder / CONFIGURATION, text)

    # Checkpoints

    def checkpoints(self) -> list[int]:
        """The iterations of the checkpoints that are complete, oldest first. Foreign folders are not counted."""
        paths = (self.folder / CHECKPOINTS).glob("[0-9]*")
        numbered = [(int(path.name), path) for path in paths if path.name.isdecimal() and path.is_dir()]
        return sorted(iterations for iterations, path in numbered if path == self.checkpoint(iterations))

    def checkpoint(self, iterations: int) -> Path:
        """The folder of a checkpoint."""
        return self.folder / CHECKPOINTS / f"{iterations:015d}"

    def save_checkpoint(
        self, iterations: int, tables: Tables, facts: Mapping[str, Any], others: WriteOthers | None = None
    ) -> None:
        """Keep the tables after `iterations`, then remove the checkpoints that need not be kept.

        others: writes tables that other processes have
        """
        facts = {**facts, "iterations": iterations, "configuration": self.digest}
        write_bundle(self.checkpoint(iterations), tables, facts, others)
        for old in self.retention.superseded(self.checkpoints()):
            shutil.rmtree(self.checkpoint(old), ignore_errors=True)

    def load_checkpoint(self, iterations: int | None = None, mapped: bool = False) -> Checkpoint:
        """The tables and facts of a checkpoint, by default the newest, compared with their checksums."""
        saved = self.checkpoints()
        if not saved:
            raise InputError(f"{self.folder} has no checkpoint")
        if iterations is not None and iterations not in saved:
            raise InputError(
                f"{self.folder} has no checkpoint of iteration {iterations}; "
                f"it has {', '.join(str(each) for each in saved)}"
            )
        wanted = saved[-1] if iterations is None else iterations
        try:
            return self._read_checkpoint(wanted, mapped)
        except InputError as error:
            older = next((each for each in reversed(saved) if each < wanted and self._is_intact(each)), None)
            if older is None:
                raise
            raise InputError(
                f"{error}; the checkpoint of iteration {older} is intact: "
                f"to use it, remove the folder {self.checkpoint(wanted)}"
            ) from error

    def facts(self, iterations: int | None = None) -> dict[str, Any]:
        """Return what a checkpoint, by default the newest, records of itself; nothing if there is none."""
        saved = self.checkpoints()
        return read_facts(self.checkpoint(saved[-1] if iterations is None else iterations)) if saved else {}

    def _is_intact(self, iterations: int) -> bool:
        try:
            self._read_checkpoint(iterations, mapped=True)
        except InputError:
            return False
        return True

    def _read_checkpoint(self, iterations: int, mapped: bool) -> Checkpoint:
        folder = self.checkpoint(iterations)
        tables, facts = read_bundle(folder, mapped=mapped)
        if facts.get("iterations") != iterations:
            raise InputError(f"{folder} is damaged: it holds iteration {facts.get('iterations')}")
        if facts.get("configuration") != self.digest:
            raise InputError(
                f"{folder} is not a checkpoint of this run: it was computed with another configuration than "
                f"{self.folder / CONFIGURATION} says"
            )
        return tables, facts

    # Metrics

    def metrics(self) -> list[dict[str, Any]]:
        """The measurements so far; a line that was cut off or damaged is left out."""
        path = self.folder / METRICS
        rows = []
        for line in path.read_bytes().splitlines() if path.is_file() else []:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                row = json.loads(line)
                intact = row.pop("crc32") == _crc32(row)
                if intact and isinstance(row["iterations"], int):
                    rows.append(row)
        return rows

    def add_metric(self, row: Mapping[str, Any]) -> None:
        """Note a measurement, which says after how many `iterations` it was made."""
        try:
            with (self.folder / METRICS).open("a+b") as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(0, end - 1))
                cut_off = end > 0 and file.read(1) != b"\n"  # the last line, by a kill
                file.write(b"\n" * cut_off + _metric_line(row).encode())
        except OSError as error:
            raise InputError(f"cannot write in {self.folder}: {error.strerror or error}") from error

    def forget_metrics_after(self, iterations: int) -> None:
        """Drop measurements that a killed process made after its last checkpoint."""
        kept = [row for row in self.metrics() if row["iterations"] <= iterations]
        write_text(self.folder / METRICS, "".join(map(_metric_line, kept)))


def _read_configuration(folder: Path) -> dict[str, Any]:
    """Read `run.toml` and compare it with its digest."""
    path = folder / CONFIGURATION
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    if not path.is_file():
        if (folder / CREATING).is_file():
            raise InputError(f"the run in {folder} was ended before it began: start it again by --out")
        if (folder / "train.json").is_file():
            raise InputError(f"{folder} holds a training of an older version of solvent; train it anew")
        raise InputError(f"{folder} is not a run: it has no {CONFIGURATION}")
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}") from error
    if "format" not in written and "fingerprint" in written:
        raise InputError(f"{folder} holds a run of an older version of solvent; solve the game anew")
    digest = written.pop("digest", None)
    if digest != digest_of(written):
        raise InputError(f"{path} has been changed since it was written; undo the change, or begin a new run")
    if written["format"] != FORMAT:
        raise InputError(
            f"{path} has format {written['format']}; this version of solvent reads format {FORMAT}"
        )
    return written


def _is_unused(folder: Path) -> bool:
    """Whether all that a folder holds was left by a run that had not begun: see `CREATING`."""
    if (folder / CREATING).is_file():
        return True
    for path in folder.iterdir():
        empty = path.name == CHECKPOINTS and path.is_dir() and all(map(is_half_written, path.iterdir()))
        if not (path.name == LOCK or is_half_written(path) or empty):
            return False
    return True


def _empty(folder: Path) -> None:
    """Remove all that a folder holds but its lock, the marker of a beginning run last."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name == CREATING):
        if path.name == LOCK:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _present(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they are read back: without None, and lists for tuples."""
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in settings.items()
        if value is not None
    }


def _crc32(row: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(row, sort_keys=True).encode())


def _metric_line(row: Mapping[str, Any]) -> str:
    return json.dumps({**row, "crc32": _crc32(row)}) + "\n"


def _to_toml(settings: Mapping[str, Any], sections: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [f"{key} = {_toml_value(value)}\n" for key, value in settings.items()]
    for name, section in sections.items():
        lines.append(f"\n[{name}]\n")
        lines += [f"{key} = {_toml_value(value)}\n" for key, value in section.items()]
    return "".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, float):
        return repr(float(value))  # TOML's inf and nan are Python's
    # JSON's strings, whole numbers and booleans are TOML's too, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
