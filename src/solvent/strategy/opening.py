"""Opening the strategy of a run, or a saved strategy, by its folder."""

from __future__ import annotations

from pathlib import Path

from solvent.foundation.bundle import MANIFEST, read_bundle
from solvent.foundation.errors import InputError
from solvent.foundation.run import Run
from solvent.strategy.infosets import InfosetTable
from solvent.strategy.public_infosets import PublicInfosets, public_infosets
from solvent.strategy.tables import TableStrategy


def open_strategy(folder: str | Path) -> TableStrategy:
    """The newest strategy of a run, or a saved strategy, memory-mapped."""
    folder = Path(folder)
    if Run.is_run(folder):
        return solved_strategy(Run.open(folder, "solve"))
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} is neither a run nor a saved strategy")
    return TableStrategy.load(folder)


def solved_strategy(run: Run) -> TableStrategy:
    """The average strategy in the newest checkpoint of a solve."""
    tables, facts = run.load_checkpoint(mapped=True)
    configuration = run.fixed
    game, fingerprint = configuration["game"], configuration["fingerprint"]
    facts = {name: fact for name, fact in facts.items() if name != "configuration"}
    infosets: InfosetTable | PublicInfosets
    if configuration.get("form") == "public":
        infosets = public_infosets(game, bool(configuration.get("isomorphic")), fingerprint, run.folder)
    else:
        infosets = InfosetTable.from_arrays(read_bundle(run.folder / "infosets", mapped=True)[0])
    return TableStrategy(game, fingerprint, infosets, tables["average"], facts)
