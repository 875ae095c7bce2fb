"""Making card abstractions: the part that `solvent abstract` and `solvent train` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from solvent.app.terminal import terminal
from solvent.app.watching import watching
from solvent.foundation.errors import InputError
from solvent.foundation.progress import interruptible
from solvent.foundation.units import duration, size

if TYPE_CHECKING:
    from solvent.abstraction.cards.buckets import CardAbstraction
    from solvent.abstraction.cards.presets import Design


def make_abstraction(
    design: Design, out: Path, threads: int, said: bool
) -> tuple[CardAbstraction, dict[str, float]]:
    """Build a card abstraction in a folder, and return it with the seconds of each stage.

    `said`: print what it will cost and how far it is, on standard error.
    """
    from solvent.abstraction.cards.build import build, estimate

    cost = estimate(design, threads)
    if said:
        terminal(stderr=True).print(
            f"{design.name}: {design.label}, base {design.base:,} flop buckets; about {duration(cost.seconds)} "
            f"with {threads} thread{'s' * (threads > 1)} after compiling, "
            f"{size(cost.memory)} of memory, {size(cost.disk)} on the disk, of which {size(cost.kept)} stay",
            soft_wrap=True,
        )
    with watching(quiet=not said) as watch, interruptible() as stop:
        return build(design, out, threads, watch, stop)


def cards_folder(
    preset: str | None, cards: Path | None, threads: int, said: bool, memory: int | None = None
) -> Path:
    """The folder of the card abstraction, which is made if a preset's is not there and `memory` allows it."""
    from solvent.abstraction.cards.buckets import TABLES
    from solvent.abstraction.cards.build import estimate
    from solvent.abstraction.cards.presets import preset_named

    if cards is not None and preset is not None:
        raise InputError("name the cards' folder by --cards or a preset by --preset, not both")
    folder = cards if cards is not None else Path("abstractions") / (preset or "tiny")
    if cards is None and not (folder / TABLES).is_dir():
        design = preset_named(preset or "tiny")
        needed = estimate(design, threads).memory
        if memory is not None and needed > memory:
            raise InputError(
                f"making the {design.name} cards takes {size(needed)}, and --memory allows {size(memory)}"
            )
        make_abstraction(design, folder, threads, said)
    return folder
