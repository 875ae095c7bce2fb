"""Every option of a training, once: its default, check, help text, JSON and command-line flag.

TrainingSettings(betting="fcpa", time="2h")                         a training's options
TrainingSettings(betting="fcpa", time="2h", cluster="processes")    one by a head and children
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.sampling import SAMPLED_RULE
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import MOST_THREADS
from solvent.solving.option_checks import FLAG, TEXT, cluster_among, number, one_of, whole
from solvent.solving.settings import ALGORITHM, CLUSTER, GAME, SAMPLE, RunSettings, altered, option

UNVISITED = ("uniform", "prior")
ENGINES = ("processes", "ray", "auto")
"""Names of what runs children; HOST:PORT is another."""
TRAINING_SAMPLINGS = EXTERNAL, PUBLIC = ("external", "public")
"""Samplings: a deal and the other player's actions are drawn, or a board alone."""
AUTO = "auto"
MOST_PUBLIC_DECISIONS = 20_000
"""Decisions of the largest betting tree that is sampled publicly where nothing is said.

`solvent reproduce public-sampling` compares both ways on trees of up to 18,396 decisions, where a board takes as
long as thousands of deals; on larger ones they have not been compared.
"""
PUBLIC_RULE = "dcfr"
"""The rule of public sampling where none is given."""
PARTS = 100
"""Equal parts of a run; a rule that discounts is applied to the whole table at the end of each."""
MOST_HOLE_CARDS = 47
"""Cards that a board leaves."""
DEFAULT_HOLE_CARDS = 24
"""Cards that are drawn with a board; both players' hands are made of them.

`solvent reproduce public-sampling` compares it with all.
"""
CHILD_WEIGHTS = ("repaired", "literal")
DEFAULT_BATCH = 1_000
"""B, iterations of a turn, where the user gives none.

It is meant to be the largest without a measurable cost at equal rows touched, with `DEFAULT_AHEAD`:
`solvent reproduce tartanian7 --part staleness` measures that.
"""
DEFAULT_AHEAD = 1
MOST_CHILDREN, MOST_BATCH, MOST_SAMPLES = 100_000, 1_000_000, 10_000
"""Larger numbers are slips of the keyboard."""
DISTRIBUTED = {"batch": DEFAULT_BATCH, "ahead": DEFAULT_AHEAD, "samples": 1, "child_weights": "repaired"}
"""Options on which the tables of a head and children depend, and their defaults."""
NOT_PUBLIC = {"reward": "y1", "cluster": None, **dict.fromkeys(DISTRIBUTED)}
"""Options that go with external sampling alone, and what they are without it."""


@cache
def decisions_of(betting: str, stack: float | None) -> int:
    """Decisions of the betting tree that these bet sizes make."""
    from solvent.forms.betting.tree import build_tree
    from solvent.strategy.agents.training_run import betting_of

    return build_tree(betting_of(betting, stack)).decisions


@dataclass(frozen=True)
class TrainingSettings(RunSettings):
    """The options of a training, apart from its cards."""

    given_anew = ("cluster", "children")

    rule: RegretRule = altered(  # noqa: RUF009
        "rule",
        help="Regret rule: cfr, lcfr, dcfr, dcfr(a,b,g) or file.py:Class.",
        shown="dcfr with public sampling, without a regret floor and from 100 iterations on; else lcfr",
    )
    iterations: int | None = altered("iterations", shown=None)
    check_every: int | None = altered("check_every", shown="each time there are 10 % more")
    checkpoint_every: float = altered("checkpoint_every", default=180.0, shown="3m")
    threads: int = altered("threads", shown="all cores")
    seed: int = altered("seed", help="Seed of what is drawn.")
    regret_floor: float = altered(
        "regret_floor",
        help="Mostly skip actions whose average regret per iteration is this many big blinds below zero, such as "
        "0.01; 0: none.",
    )
    betting: str = option(
        "fcpa",
        "Bet sizes: fcpa, laptop, acpc, a TOML file, or text such as 'preset=fcpa; flop=50%,a | 3x,a'.",
        TEXT,
        GAME,
        kept=True,
    )
    stack: float | None = option(
        None, "Stacks in big blinds.", number(0.0), GAME, kept=True, shown="as the betting has it"
    )
    initial_weights: bool = option(
        False,
        "Start from what simulated win rates suggest instead of uniform play.",
        FLAG,
        ALGORITHM,
        kept=True,
    )
    initial_visits: float | None = option(
        None,
        "How many visits of a row --initial-weights count for; after about so many, they are outweighed.",
        number(0.0),
        ALGORITHM,
        kept=True,
        shown="1",
    )
    unvisited: str | None = option(
        None,
        "What rows play to which training never came: uniform, or prior, what win rates suggest.",
        one_of("way to play", UNVISITED),
        ALGORITHM,
        kept=True,
        shown="uniform; with --initial-weights prior",
    )
    exploration_part: float | None = option(
        None,
        "The part of the run over which --exploration-decay falls to 0, such as 0.4.",
        number(0.0, 1.0),
        SAMPLE,
        kept=True,
        shown="40,000 iterations",
    )
    sampling: str = option(
        AUTO,
        "external: a deal, and actions of the other player; public: a board, walked with many hands at once.",
        one_of("sampling", (AUTO, *TRAINING_SAMPLINGS)),
        SAMPLE,
        kept=True,
        shown=f"public; external on trees of more than {MOST_PUBLIC_DECISIONS:,} decisions, or with a cluster, "
        "or another reward",
    )
    hole_cards: int | None = option(
        None,
        "Public sampling: draw this many of the 47 cards that a board leaves, and walk the hands made of them.",
        whole(4, MOST_HOLE_CARDS),
        SAMPLE,
        kept=True,
        shown=str(DEFAULT_HOLE_CARDS),
    )
    cluster: str | None = option(
        None,
        "Train by a head and children, in: processes; ray, started here; or a Ray cluster, auto or HOST:PORT.",
        cluster_among(ENGINES),
        CLUSTER,
        shown="in this process",
    )
    children: int | None = option(
        None,
        "Workers that share the public clusters of the cards.",
        whole(1, MOST_CHILDREN),
        CLUSTER,
        shown="one for each core, on another machine's cluster one for each public cluster",
    )
    batch: int | None = option(
        None,
        "B: iterations of the head on the same strategies; 1 as in the paper.",
        whole(1, MOST_BATCH),
        CLUSTER,
        kept=True,
        shown=str(DEFAULT_BATCH),
    )
    ahead: int | None = option(
        None,
        "1: the head prepares the next batch while children work; 0: it waits for them.",
        whole(0, 1),
        CLUSTER,
        kept=True,
        shown=str(DEFAULT_AHEAD),
    )
    samples: int | None = option(
        None,
        "Boards that a child draws in an iteration.",
        whole(1, MOST_SAMPLES),
        CLUSTER,
        kept=True,
        shown="1",
    )
    child_weights: str | None = option(
        None,
        "Weights of children's updates: repaired, without bias, or literal, as in the paper.",
        one_of("kind of weights", CHILD_WEIGHTS),
        CLUSTER,
        kept=True,
        shown="repaired",
    )
    child_cores: int = option(
        1,
        "Threads of a child, which share its samples; above 1 a run cannot be repeated exactly.",
        whole(1, MOST_THREADS),
        CLUSTER,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sampling == AUTO:
            object.__setattr__(self, "sampling", self._usual_sampling())
        if self.rule is None:
            object.__setattr__(self, "rule", load_rule(self._usual_rule()))
        if self.sampling == PUBLIC and self.hole_cards is None:
            object.__setattr__(self, "hole_cards", DEFAULT_HOLE_CARDS)
        self._check_exploration()
        if self.unvisited is None:
            object.__setattr__(self, "unvisited", "prior" if self.initial_weights else "uniform")
        if self.initial_visits is not None and not self.initial_weights:
            raise InputError("initial-visits say how much initial-weights count; give those too")
        if self.initial_visits == 0:
            raise InputError("initial weights that count for 0 visits change nothing; leave them out")
        if self.sampling == PUBLIC:
            self._check_public()
        elif self.hole_cards is not None:
            raise InputError("hole-cards go with sampling public, not with external")
        if self.cluster is not None or any(getattr(self, name) is not None for name in DISTRIBUTED):
            for name, default in DISTRIBUTED.items():
                if getattr(self, name) is None:
                    object.__setattr__(self, name, default)
            self._check_distributed()
        elif self.children is not None:
            raise InputError("children change nothing: give cluster processes, ray, auto or HOST:PORT")
        elif self.child_cores > 1:
            raise InputError(
                "child-cores change nothing: give cluster, or batch, to train by a head and children"
            )

    def _check_exploration(self) -> None:
        for name in ("exploration_mix", "exploration_part"):
            if getattr(self, name) and not self.exploration_decay:
                option = name.replace("_", "-")
                raise InputError(f"{option} says how exploration-decay works; give that too")
        if self.exploration_part == 0:
            raise InputError("exploration over 0 of the run is none; leave out exploration-decay")

    def _usual_sampling(self) -> str:
        """Choose the sampling where none is given: a board of a large tree takes too long to walk."""
        if self._only_external() or decisions_of(self.betting, self.stack) > MOST_PUBLIC_DECISIONS:
            return EXTERNAL
        return PUBLIC

    def _only_external(self) -> bool:
        """Whether an option goes with external sampling alone."""
        return any(getattr(self, name) != default for name, default in NOT_PUBLIC.items())

    def _usual_rule(self) -> str:
        """The rule where none is given: one that discounts needs a run of enough iterations and no regret floor."""
        short = self.iterations is not None and self.iterations < PARTS
        return (
            PUBLIC_RULE if self.sampling == PUBLIC and not self.regret_floor and not short else SAMPLED_RULE
        )

    @property
    def begins_with_prior(self) -> bool:
        """Whether a new table is filled from simulated win rates."""
        return self.initial_weights or self.unvisited == "prior"

    def _check_public(self) -> None:
        for name, default in NOT_PUBLIC.items():
            if getattr(self, name) != default:
                option = name.replace("_", "-")
                raise InputError(
                    f"{option} {getattr(self, name)} goes with sampling external, not with public"
                )

    def _check_distributed(self) -> None:
        if self.exploration_part is not None:
            raise InputError(
                "exploration-part goes with training on one table: a head and children decay over 40,000 iterations"
            )
        if self.initial_visits is not None:
            raise InputError(
                "initial-visits go with training on one table: a head and children write initial weights once"
            )
        if self.children is not None and self.cluster is None:
            raise InputError("children change nothing: give cluster processes, ray, auto or HOST:PORT")
        if self.samples is not None and self.child_cores > self.samples:
            raise InputError(
                f"the cores of a child share its samples: give at least {self.child_cores} samples, not "
                f"{self.samples}"
            )

    @property
    def distributed(self) -> bool:
        """Whether a head and children train, by Algorithm 4 of Brown, Ganzfried and Sandholm (2015)."""
        return self.batch is not None
