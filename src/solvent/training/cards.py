"""Making card abstractions, for trainings too."""

from __future__ import annotations

from pathlib import Path

from solvent.abstraction.cards.buckets import TABLES, CardAbstraction
from solvent.abstraction.cards.build import build, estimate
from solvent.abstraction.cards.presets import Design, preset_named
from solvent.foundation.errors import InputError
from solvent.foundation.progress import SIZED, Progress, Stop, Watch
from solvent.foundation.storage.run import Run
from solvent.foundation.units import duration, size
from solvent.training.settings import TrainingSettings


def make_abstraction(
    design: Design, out: Path, threads: int, watch: Watch, stop: Stop
) -> tuple[CardAbstraction, dict[str, float]]:
    """Build a card abstraction in a folder, after telling its cost; returns it with the seconds of each stage."""
    cost = estimate(design, threads)
    said = (
        f"{design.name}: {design.label}, base {design.base:,} flop buckets; about {duration(cost.seconds)} with "
        f"{threads} thread{'s' * (threads > 1)} after compiling, {size(cost.memory)} of memory, {size(cost.disk)} "
        f"on the disk, of which {size(cost.kept)} stay"
    )
    watch(Progress(SIZED, 0, detail=said))
    return build(design, out, threads, watch, stop)


def cards_for_training(
    out: Path | None,
    preset: str | None,
    cards: Path | None,
    settings: TrainingSettings,
    watch: Watch,
    stop: Stop,
) -> Path:
    """The folder of a new training's cards; a preset's are made if they are not there and fit into memory.

    Nothing is made before the rest of what a new training needs has been checked.
    """
    if out is None:
        raise InputError("say by --out which folder to save the training in")
    Run.check_new(out)
    if settings.iterations is None and settings.time is None:
        raise InputError("say how long to train, by --time or by --iterations")
    if cards is not None and preset is not None:
        raise InputError("name the cards' folder by --cards or a preset by --preset, not both")
    if cards is not None:
        return cards
    name = preset or "tiny"
    folder = Path("abstractions") / name
    if not (folder / TABLES).is_dir():
        design = preset_named(name)
        needed = estimate(design, settings.threads).memory
        if needed > settings.memory:
            raise InputError(
                f"making the {name} cards takes {size(needed)}, and --memory allows {size(settings.memory)}"
            )
        make_abstraction(design, folder, settings.threads, watch, stop)
    return folder
