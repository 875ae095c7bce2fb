"""Runs: a folder that holds everything a long computation did, so that nothing is lost.

    run.toml         what was asked for: game, rule, seed, version
    infosets/        the labels, written once
    checkpoints/N/   the tables after N iterations; the newest two are kept
    metrics.jsonl    one line per exploitability check
    result.json      the closing summary

Any run can be killed at any moment and resumed from its newest checkpoint.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.errors import InputError
from solvent.strategy.bundle import read_bundle, read_facts, write_bundle, write_text
from solvent.strategy.infosets import InfosetTable
from solvent.strategy.strategy import VERIFY_UP_TO, Strategy

CONFIGURATION = "run.toml"
KEEP = 2
"""Checkpoints kept: the newest and, should it be damaged, the one before."""


class Run:
    """A run's folder."""

    def __init__(self, folder: Path, configuration: dict[str, Any]) -> None:
        self.folder, self.configuration = folder, configuration

    @staticmethod
    def is_run(folder: Path) -> bool:
        return (folder / CONFIGURATION).is_file()

    @classmethod
    def create(cls, folder: str | Path, configuration: Mapping[str, Any], infosets: InfosetTable) -> Run:
        """A new run in an empty or new folder."""
        folder = Path(folder)
        if cls.is_run(folder):
            raise InputError(
                f"{folder} already holds a run; go on with it by --resume, or choose another folder"
            )
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} exists and is not an empty folder; choose another")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
        write_bundle(folder / "infosets", infosets.arrays, {"fingerprint": configuration["fingerprint"]})
        # Last: a folder with a configuration is a run that can be resumed.
        write_text(folder / CONFIGURATION, _to_toml(configuration))
        return cls(folder, dict(configuration))

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """An existing run."""
        folder = Path(folder)
        path = folder / CONFIGURATION
        if not path.is_file():
            raise InputError(f"{folder} is not a run: it has no {CONFIGURATION}")
        try:
            configuration = tomllib.loads(path.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is damaged: {error}") from error
        missing = {"game", "fingerprint"} - configuration.keys()
        if missing:
            raise InputError(f"{path} is damaged: it does not say {', '.join(sorted(missing))}")
        return cls(folder, configuration)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for writing; a second process that tries is refused."""
        with (self.folder / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(f"{self.folder} is in use by another process") from error
            yield

    # Checkpoints

    def checkpoints(self) -> list[int]:
        """The iterations of the checkpoints that are complete, oldest first."""
        folder = self.folder / "checkpoints"
        return (
            sorted(int(path.name) for path in folder.glob("[0-9]*") if path.is_dir())
            if folder.is_dir()
            else []
        )

    def save_checkpoint(
        self, iterations: int, tables: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
    ) -> None:
        """Keep the tables after so many iterations, and drop the oldest checkpoints."""
        facts = {**facts, "iterations": iterations, "fingerprint": self.configuration["fingerprint"]}
        write_bundle(self._checkpoint(iterations), tables, facts)
        for old in self.checkpoints()[:-KEEP]:
            shutil.rmtree(self._checkpoint(old), ignore_errors=True)

    def load_checkpoint(self, mapped: bool = False) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """The newest checkpoint, verified, or None where the run was cut off before its first."""
        saved = self.checkpoints()
        if not saved:
            return None
        folder = self._checkpoint(saved[-1])
        size = sum(path.stat().st_size for path in folder.glob("*.npy"))
        tables, facts = read_bundle(folder, verify=not mapped or size <= VERIFY_UP_TO, mapped=mapped)
        if facts.get("fingerprint") != self.configuration["fingerprint"]:
            raise InputError(f"{folder} is the checkpoint of another game")
        if facts.get("iterations") != saved[-1]:
            raise InputError(f"{folder} is damaged: it holds iteration {facts.get('iterations')}")
        return tables, facts

    def _checkpoint(self, iterations: int) -> Path:
        return self.folder / "checkpoints" / f"{iterations:012d}"

    # What people read

    def strategy(self) -> Strategy:
        """The average strategy of the newest checkpoint, memory-mapped."""
        loaded = self.load_checkpoint(mapped=True)
        if loaded is None:
            raise InputError(f"{self.folder} has no checkpoint yet")
        tables, facts = loaded
        infosets = InfosetTable.from_arrays(read_bundle(self.folder / "infosets", mapped=True)[0])
        configuration = self.configuration
        weights = tables["average"]
        if "offset" in tables:
            stored = tables["offset"] >= 0
            full = np.zeros(infosets.cells, dtype=weights.dtype)
            full[stored] = weights[tables["offset"][stored]]
            weights = full
        return Strategy(configuration["game"], configuration["fingerprint"], infosets, weights, facts)

    def facts(self) -> dict[str, Any]:
        """What the newest checkpoint says of itself."""
        saved = self.checkpoints()
        return read_facts(self._checkpoint(saved[-1])) if saved else {}

    def metrics(self) -> list[dict[str, Any]]:
        """The exploitability checks so far; a last line that was cut off is left out."""
        path = self.folder / "metrics.jsonl"
        rows = []
        for line in path.read_text().splitlines() if path.is_file() else []:
            try:
                rows.append(json.loads(line))
            except ValueError:
                break
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


def find_runs(folder: str | Path) -> list[Run]:
    """The runs in a folder and in the folders below it."""
    found = []
    for path, folders, files in os.walk(folder):
        if CONFIGURATION in files:
            folders.clear()
            found.append(Run.open(path))
    return sorted(found, key=lambda run: run.folder)


def _to_toml(configuration: Mapping[str, Any]) -> str:
    # JSON's strings, numbers and booleans are TOML's too.
    return "".join(
        f"{key} = {json.dumps(value)}\n" for key, value in configuration.items() if value is not None
    )
