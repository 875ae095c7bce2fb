"""Children for a training, on whatever the user names: this process, worker processes, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.engines.sampling import DECAY, NO_DECAY
from solvent.forms.betting.tree import BettingTree, build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.machine import cores
from solvent.games.betting.sizes import BettingAbstraction
from solvent.training.distributed.batches import Children, DistributedSettings
from solvent.training.distributed.child import Child
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.solver import make_children
from solvent.training.settings import TrainingSettings

PROCESSES, LOCAL_RAY = "processes", "ray"
"""Names of what runs on this machine alone; any other name is that of a Ray cluster."""
WORKER_BYTES = 400 << 20
"""Bytes of a worker beside its tables and the betting tree: interpreter, kernels, parts of the card tables."""


@dataclass(frozen=True)
class MakeHoldemChildren:
    """Makes children of hold'em in whatever process, from the card abstraction in a folder."""

    folder: str
    """The folder of the cards, which has the same name on every machine."""
    fingerprint: str
    betting: BettingAbstraction
    settings: DistributedSettings

    def __call__(self, owned: Sequence[int]) -> list[Child]:
        cards = CardAbstraction.load(self.folder)
        if cards.fingerprint != self.fingerprint:
            raise InputError(
                f"the card abstraction in {self.folder} is another one on a worker's machine: its fingerprint is "
                f"{cards.fingerprint}, not {self.fingerprint}"
            )
        return make_children(build_tree(self.betting), cards, self.settings, owned)


def distributed_settings(settings: TrainingSettings, tree: BettingTree) -> DistributedSettings:
    """Select the settings on which the tables of a training by a head and children depend."""
    assert settings.batch is not None
    assert settings.ahead is not None
    assert settings.samples is not None
    return DistributedSettings(
        seed=settings.seed,
        linear=settings.rule.linear,
        exploration=DECAY if settings.exploration_decay else NO_DECAY,
        mix=settings.exploration_mix,
        floor=-settings.regret_floor * tree.abstraction.rules.blinds[1],
        reward=settings.reward,
        batch=settings.batch,
        ahead=settings.ahead,
        samples=settings.samples,
        cores=settings.child_cores,
        literal=settings.child_weights == "literal",
    )


def workers_of(settings: TrainingSettings, cards: CardAbstraction) -> int:
    """Count the workers that share the public clusters of the cards; 0 where there are none but this process."""
    clusters = int(cards.sizes[-1][0])
    if settings.cluster is None:
        return 0
    if settings.children is None:
        here = settings.cluster in (PROCESSES, LOCAL_RAY)
        return min(clusters, max(1, cores() // settings.child_cores)) if here else clusters
    if settings.children > clusters:
        shared = f"{clusters} public clusters, which {clusters} children can share at most"
        if clusters == 1:
            shared = "1 public cluster, which 1 child has"
        raise InputError(f"these cards have {shared}, not {settings.children}")
    return settings.children


def worker_bytes(tree: BettingTree, cards: CardAbstraction, clusters: int) -> int:
    """Estimate the bytes of a worker with this many public clusters."""
    arena = 4 * table_layout(tree.bucket_floats, cards.sizes).arena
    return clusters * arena + 3 * tree.nbytes + WORKER_BYTES


def here_bytes(settings: TrainingSettings, tree: BettingTree, cards: CardAbstraction) -> int:
    """Bytes of tables and workers on this machine; a cluster of other machines counts its own memory."""
    layout, clusters = table_layout(tree.bucket_floats, cards.sizes), int(cards.sizes[-1][0])
    heads = 3 * 4 * layout.head  # the table, its frozen copy, and that of the turn ahead
    workers = workers_of(settings, cards)
    begins = 4 * layout.numbers if settings.begins_with_prior else 0
    if workers == 0:
        return heads + begins + 4 * clusters * layout.arena
    if settings.cluster not in (PROCESSES, LOCAL_RAY):
        return heads + begins
    owned = [len(range(worker, clusters, workers)) for worker in range(workers)]
    return heads + begins + sum(worker_bytes(tree, cards, count) for count in owned)


def launch(settings: TrainingSettings, tree: BettingTree, cards: CardAbstraction) -> Children:
    """Begin the children of a training, with tables of zeros. Whoever calls this closes them."""
    how, clusters = distributed_settings(settings, tree), int(cards.sizes[-1][0])
    workers = workers_of(settings, cards)
    if settings.cluster is None:
        return LocalChildren(make_children(tree, cards, how, range(clusters)), settings.threads)
    folder = str(Path(cards.folder or "").absolute())
    make = MakeHoldemChildren(folder, cards.fingerprint, tree.abstraction, how)
    if settings.cluster == PROCESSES:
        from solvent.training.distributed.processes import ProcessChildren

        return ProcessChildren(make, clusters, workers)
    from solvent.training.distributed.ray_engine.actors import RayChildren

    def needs(owned: Sequence[int]) -> int:
        return worker_bytes(tree, cards, len(owned))

    return RayChildren(settings.cluster, make, clusters, workers, needs, settings.child_cores)
