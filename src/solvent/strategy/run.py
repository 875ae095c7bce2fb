"""Runs: a folder that holds everything a long computation did, so that nothing is lost.

    run.toml         what was asked for: game, rule, limits, seed, version
    infosets/        the labels, written once
    checkpoints/N/   the tables after N iterations; the newest two are kept
    metrics.jsonl    one line per exploitability check
    result.json      the closing summary

A run has a checkpoint from its start: it can be killed at any moment and resumed from the newest one.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from solvent.foundation.bundle import read_bundle, read_facts, write_bundle
from solvent.foundation.errors import InputError
from solvent.foundation.files import held, remove_half_written, write_text
from solvent.strategy.infosets import InfosetTable
from solvent.strategy.public_infosets import PublicInfosets

CONFIGURATION = "run.toml"
METRICS = ("iterations", "exploitability")
"""What every line of the metrics says."""
KEEP = 2
"""Checkpoints kept: the newest and, should it be damaged, the one before."""


Checkpoint = tuple[dict[str, NDArray[Any]], dict[str, Any]]
"""Tables and facts."""


class Run:
    """A run's folder."""

    def __init__(self, folder: Path, configuration: dict[str, Any]) -> None:
        self.folder, self.configuration = folder, configuration

    @staticmethod
    def is_run(folder: Path) -> bool:
        return (folder / CONFIGURATION).is_file()

    @classmethod
    def create(
        cls,
        folder: str | Path,
        configuration: Mapping[str, Any],
        infosets: InfosetTable | PublicInfosets,
        tables: Mapping[str, NDArray[Any]],
        facts: Mapping[str, Any],
    ) -> Run:
        """A new run in an empty or new folder, with the tables it starts from as its first checkpoint."""
        folder = Path(folder)
        cls.check_new(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
        run = cls(folder, dict(configuration))
        if isinstance(infosets, InfosetTable):  # those of a public game need no table
            write_bundle(folder / "infosets", infosets.arrays, {"fingerprint": configuration["fingerprint"]})
        run.save_checkpoint(0, tables, facts)
        # Last: a folder with a configuration is a run that can be resumed.
        run.configure({})
        return run

    @classmethod
    def check_new(cls, folder: Path) -> None:
        """Refuse a folder that cannot become a run."""
        if cls.is_run(folder):
            raise InputError(
                f"{folder} already holds a run; go on with it by --resume, or choose another folder"
            )
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} exists and is not an empty folder; choose another")
        above = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise InputError(f"cannot make the folder {folder}: {above} is not a folder to write in")

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """An existing run."""
        folder = Path(folder)
        path = folder / CONFIGURATION
        if not path.is_file():
            raise InputError(f"{folder} is not a run: it has no {CONFIGURATION}")
        try:
            configuration = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is damaged: {error}") from error
        missing = {"game", "fingerprint"} - configuration.keys()
        if missing:
            raise InputError(f"{path} is damaged: it does not say {', '.join(sorted(missing))}")
        return cls(folder, configuration)

    def configure(self, changes: Mapping[str, Any]) -> None:
        """Change what was asked for."""
        self.configuration.update(changes)
        write_text(self.folder / CONFIGURATION, _to_toml(self.configuration))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for writing; a second process that tries is refused."""
        with held(self.folder):
            for folder in (self.folder, self.folder / "checkpoints"):
                remove_half_written(folder)
            yield

    # Checkpoints

    def checkpoints(self) -> list[int]:
        """The iterations of the checkpoints that are complete, oldest first."""
        paths = (self.folder / "checkpoints").glob("[0-9]*")
        numbered = [(int(path.name), path) for path in paths if path.name.isdecimal() and path.is_dir()]
        return sorted(iterations for iterations, path in numbered if path == self._checkpoint(iterations))

    def save_checkpoint(
        self, iterations: int, tables: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
    ) -> None:
        """Keep the tables after so many iterations, and drop the oldest checkpoints."""
        facts = {**facts, "iterations": iterations, "fingerprint": self.configuration["fingerprint"]}
        write_bundle(self._checkpoint(iterations), tables, facts)
        for old in self.checkpoints()[:-KEEP]:
            shutil.rmtree(self._checkpoint(old), ignore_errors=True)

    def load_checkpoint(self, mapped: bool = False) -> Checkpoint:
        """The newest checkpoint, verified."""
        saved = self.checkpoints()
        if not saved:
            raise InputError(f"{self.folder} has no checkpoint")
        try:
            return self._read_checkpoint(saved[-1], mapped)
        except InputError as error:
            older = next((n for n in reversed(saved[:-1]) if self._is_intact(n)), None)
            if older is None:
                raise
            raise InputError(
                f"{error}; the checkpoint of iteration {older} is intact: "
                f"to use it, remove the folder {self._checkpoint(saved[-1])}"
            ) from error

    def _is_intact(self, iterations: int) -> bool:
        try:
            self._read_checkpoint(iterations, mapped=True)
        except InputError:
            return False
        return True

    def _read_checkpoint(self, iterations: int, mapped: bool) -> Checkpoint:
        folder = self._checkpoint(iterations)
        tables, facts = read_bundle(folder, mapped=mapped)
        if facts.get("fingerprint") != self.configuration["fingerprint"]:
            raise InputError(f"{folder} is the checkpoint of another game")
        if facts.get("iterations") != iterations:
            raise InputError(f"{folder} is damaged: it holds iteration {facts.get('iterations')}")
        return tables, facts

    def _checkpoint(self, iterations: int) -> Path:
        return self.folder / "checkpoints" / f"{iterations:012d}"

    # What people read

    def facts(self) -> dict[str, Any]:
        """What the newest checkpoint says of itself."""
        saved = self.checkpoints()
        return read_facts(self._checkpoint(saved[-1])) if saved else {}

    def metrics(self) -> list[dict[str, Any]]:
        """The exploitability checks so far; a line that was cut off or damaged is left out."""
        path = self.folder / "metrics.jsonl"
        rows = []
        for line in path.read_bytes().splitlines() if path.is_file() else []:
            with suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict) and all(isinstance(row.get(key), int | float) for key in METRICS):
                    rows.append(row)
        return rows

    def add_metric(self, row: Mapping[str, Any]) -> None:
        with (self.folder / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")

    def forget_metrics_after(self, iterations: int) -> None:
        """Drop checks that a killed process made after its last checkpoint."""
        kept = [row for row in self.metrics() if row["iterations"] <= iterations]
        write_text(self.folder / "metrics.jsonl", "".join(json.dumps(row) + "\n" for row in kept))

    def save_result(self, result: Mapping[str, Any]) -> None:
        write_text(self.folder / "result.json", json.dumps(result, indent=1) + "\n")


def find_runs(folder: str | Path) -> list[Path]:
    """The folders of the runs in a folder and below it."""
    found = []
    for path, folders, files in os.walk(folder):
        if CONFIGURATION in files:
            folders.clear()
            found.append(Path(path))
    return sorted(found)


def _to_toml(configuration: Mapping[str, Any]) -> str:
    # JSON's strings, numbers and booleans are TOML's too.
    return "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in configuration.items()
        if value is not None
    )
