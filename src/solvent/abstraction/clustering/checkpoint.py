"""Where a clustering run stands, in one file, so that it can be continued."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from solvent.abstraction.clustering.lloyd import Assigned, Standing, Track
from solvent.foundation.errors import InputError

DAMAGE = (ValueError, KeyError, EOFError, IndexError, TypeError, zipfile.BadZipFile, NotImplementedError)


def write_checkpoint(path: Path, fingerprint: str, at: Standing) -> None:
    """Replace the file only once all is on the disk."""
    arrays: dict[str, Any] = {"fingerprint": np.array(fingerprint), "restart": np.array(at.restart)}
    for name, track in (("track", at.track), ("best", at.best)):
        if track is not None:
            arrays |= {f"{name}_{key}": value for key, value in _arrays(track).items()}
    aside = path.with_name(f".{path.name}.writing")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def read_checkpoint(path: Path, fingerprint: str) -> Standing:
    """Where the run stood; at its beginning if there is no file."""
    if not path.exists():
        return Standing(0, None, None)
    try:
        with np.load(path, allow_pickle=False) as file:
            held = str(file["fingerprint"])
            arrays = {name: file[name] for name in file.files} if held == fingerprint else {}
        standing = None
        if arrays:
            standing = Standing(int(arrays["restart"]), _track(arrays, "track"), _track(arrays, "best"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except DAMAGE as error:
        raise InputError(f"{path} is damaged or no checkpoint of a clustering: {error}") from error
    if standing is None:
        raise InputError(f"{path} is the checkpoint of a clustering with other points or settings")
    return standing


def _arrays(track: Track) -> dict[str, Any]:
    now = track.now
    return {
        "centers": now.centers,
        "assignment": now.assignment,
        "lower": now.lower,
        "history": np.array(track.history),
        "counts": np.array([now.moved, now.evaluations, track.evaluations]),
    }


def _track(arrays: Mapping[str, Any], name: str) -> Track | None:
    if f"{name}_centers" not in arrays:
        return None
    centers, assignment, lower, history, counts = (
        arrays[f"{name}_{key}"] for key in ("centers", "assignment", "lower", "history", "counts")
    )
    moved, evaluations, all_evaluations = map(int, counts)
    objectives = tuple(map(float, history))
    now = Assigned(centers, assignment, lower, objectives[-1], moved, evaluations)
    return Track(now, objectives, all_evaluations)
