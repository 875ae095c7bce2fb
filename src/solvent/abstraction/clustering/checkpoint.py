"""Checkpoints of a clustering: a bundle that says where it stands, from which it is continued."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from solvent.abstraction.clustering.lloyd import Assigned, Standing, Track
from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import read_bundle, write_bundle

TRACKS = ("track", "best")
"""The restart that is under way, and the best of those that ended."""


def write_checkpoint(folder: Path, fingerprint: str, at: Standing) -> None:
    """Write where a clustering stands; `fingerprint` says which clustering it is."""
    arrays: dict[str, NDArray[Any]] = {}
    facts: dict[str, Any] = {"fingerprint": fingerprint, "restart": at.restart}
    for name, track in zip(TRACKS, (at.track, at.best), strict=True):
        if track is None:
            continue
        now = track.now
        arrays |= {
            f"{name}_centers": now.centers,
            f"{name}_assignment": now.assignment,
            f"{name}_lower": now.lower,
        }
        facts[name] = {
            "history": list(track.history),
            "counts": [now.moved, now.evaluations, track.evaluations],
        }
    write_bundle(folder, arrays, facts)


def read_checkpoint(folder: Path, fingerprint: str) -> Standing:
    """Where a clustering stood; its beginning if there is no checkpoint."""
    if not folder.exists():
        return Standing(0, None, None)
    arrays, facts = read_bundle(folder)
    if "restart" not in facts:
        raise InputError(f"{folder} is not the checkpoint of a clustering")
    if facts.get("fingerprint") != fingerprint:
        raise InputError(f"{folder} is the checkpoint of a clustering with other points or settings")
    return Standing(int(facts["restart"]), *(_track(arrays, facts, name) for name in TRACKS))


def _track(arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], name: str) -> Track | None:
    if name not in facts:
        return None
    centers, assignment, lower = (arrays[f"{name}_{key}"] for key in ("centers", "assignment", "lower"))
    moved, evaluations, all_evaluations = facts[name]["counts"]
    objectives = tuple(facts[name]["history"])
    now = Assigned(centers, assignment, lower, objectives[-1], moved, evaluations)
    return Track(now, objectives, all_evaluations)
