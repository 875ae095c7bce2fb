"""Every option of a solve, once: its default, check, help text, JSON and command-line flag.

    Settings(rule="cfr+", time="5m")             a solve's options, checked and in their final types
    Settings.resumed(began, {"threads": 2})      those of a resumed run

Those of a training are in `solvent.training.settings`.

`solve`, `train` and their commands take their parameters from the fields of these classes, run folders keep them
as JSON, and results hold them. A field's `kept` says whether a run keeps the option for good.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, Self

from solvent.engines.defaults import DEFAULT_RULE, DTYPES, UPDATES
from solvent.engines.explicit.growing import growth_settings as growing
from solvent.engines.explicit.growing.discounts import DISCOUNTS
from solvent.engines.pruning import AFTER, GATES, PRUNINGS, Pruning
from solvent.engines.rewards import REWARDS
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.sampling import SAMPLED_RULE, SAMPLINGS, Sampling
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import MOST_THREADS
from solvent.foundation.names import did_you_mean
from solvent.solving.option_checks import (
    BYTES,
    DEVICE,
    DURATION,
    FLAG,
    INTERVAL,
    RULE,
    Check,
    number,
    one_of,
    whole,
)

PLANS = ("auto", "serial", "branched", "flattened", "aggregated", "sequence")
ONE_THREAD_PLANS = ("serial", "flattened", "sequence")
FORMS = ("auto", "history", "public")
EVALUATORS = ("auto", "swept", "gemm")
DEFAULT_ITERATIONS, SAMPLED_ITERATIONS = 1000, 1_000_000
"""Iterations of a solve where no limit is given; those of sampling are short."""
DEFAULT_MEMORY = 8 << 30
LARGEST_SEED = (1 << 64) - 1
MOST_ITERATIONS = 10**15
"""Far beyond what any machine runs; larger numbers are slips of the keyboard."""
STOP, GAME, SIZES, KEEP = "Stop when", "Game", "Sizes", "Keep"
ALGORITHM, PRUNE, SAMPLE, MACHINE = "Algorithm", "Pruning", "Sampling", "Machine"
GROW, CLUSTER = "Growing", "Cluster"
PANELS = (GAME, SIZES, STOP, KEEP, ALGORITHM, PRUNE, GROW, SAMPLE, CLUSTER, MACHINE)
"""The panels in which the command line's help shows options, in this order."""


def option(
    default: Any, help: str, check: Check, panel: str, *, kept: bool = False, shown: str | None = None
) -> Any:
    """A field of the settings, which the help shows in a panel.

    `kept`: a resumed run cannot change it. `shown` is the default in words where that says more than the value.
    """
    return field(
        default=default,
        metadata={"help": help, "check": check, "panel": panel, "kept": kept, "shown": shown},
    )


algorithm_option = partial(option, panel=ALGORITHM, kept=True)
prune_option = partial(option, panel=PRUNE, kept=True)
grow_option = partial(option, panel=GROW, kept=True)
sample_option = partial(option, panel=SAMPLE, kept=True)


@dataclass(frozen=True)
class Options:
    """Options whose fields say how their values are read. None stands for an option without a value of its own."""

    given_anew: ClassVar[tuple[str, ...]] = ()
    """Options that no run keeps: a person gives them again whenever it is resumed."""
    retired: ClassVar[Mapping[str, Any]] = {}
    """Options that earlier versions kept in their runs, and the values at which they changed nothing."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                check: Check = each.metadata["check"]
                object.__setattr__(self, each.name, check.read(flag(each.name), value))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Settings from options by name; None is an option that was not given. No text in them runs own code."""
        unknown = given.keys() - {each.name for each in fields(cls)}
        if unknown:
            name = min(unknown)
            near = did_you_mean(name, [each.name for each in fields(cls)])
            raise InputError(f"there is no option {name!r}{near}")
        return cls(**{name: value for name, value in given.items() if value is not None})

    def as_json(self) -> dict[str, Any]:
        """Write the options for JSON and TOML; those without a value are left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: str(value) if name == "rule" else value
            for name, value in values.items()
            if value is not None
        }

    @classmethod
    def resumed(cls, began: Mapping[str, Any], given: Mapping[str, Any], run: str) -> Self:
        """Read the settings of a resumed run: those given now, else those that it began with.

        `began` is the run's configuration, `run` names the run in refusals. A limit that is given now replaces
        all limits of before.
        """
        given = {name: value for name, value in given.items() if value is not None}
        asked = cls.of(given)
        before = cls._began(began, given.get("rule"), run)
        values = {each.name: getattr(before, each.name) for each in fields(cls)}
        if given.keys() & set(LIMITS):
            values |= dict.fromkeys(set(LIMITS) & values.keys())
        for each in fields(cls):
            name, value = each.name, getattr(asked, each.name)
            if name not in given or (each.metadata["kept"] and given[name] == "auto"):
                continue
            if each.metadata["kept"] and value != values[name]:
                raise InputError(
                    f"{run} began with {flag(name)} {values[name]}; it cannot go on with {value}"
                )
            values[name] = value
        return cls(**values)

    @classmethod
    def _began(cls, began: Mapping[str, Any], rule: Any, run: str) -> Self:
        """Read the settings in a run's configuration; `rule` is the one that is given now."""
        for name, value in cls.retired.items():
            if began.get(name, value) != value:
                raise InputError(
                    f"{run} began with {flag(name)} {began[name]}, which this version no longer has: resume it "
                    f"with the version that made it, or solve anew"
                )
        known = {each.name: began[each.name] for each in fields(cls) if each.name in began}
        for name in cls.given_anew:
            known.pop(name, None)
        if rule is not None:
            if str(load_rule(rule)) != known.get("rule"):
                raise InputError(f"{run} began with rule {known.get('rule')}; it cannot go on with {rule}")
            known["rule"] = rule
        elif isinstance(known.get("rule"), str):
            try:
                known["rule"] = load_rule(known["rule"])
            except InputError as error:
                own = known["rule"]
                raise InputError(
                    f"{run} began with a rule of your own, {own}; pass it again as rule=, or by --rule"
                ) from error
        try:
            return cls.of(known)
        except InputError as error:
            raise InputError(f"the configuration of {run} is damaged: {error}") from error

    @classmethod
    def kept(cls) -> tuple[str, ...]:
        """The options that a run keeps for good."""
        return tuple(each.name for each in fields(cls) if each.metadata["kept"])


@dataclass(frozen=True)
class RunSettings(Options):
    """The options that solves and trainings share."""

    rule: RegretRule = algorithm_option(  # noqa: RUF009
        None,
        "Rule: cfr, cfr+, lcfr, dcfr, dcfr(a,b,g), pcfr+, dcfr+, pdcfr+, lp (small games) or file.py:Class.",
        RULE,
        shown="dcfr; dcfr(1.5,0,3) for spot and nolimit; lcfr with sampling",
    )
    iterations: int | None = option(
        None,
        "Stop at this total number of iterations.",
        whole(0, MOST_ITERATIONS),
        STOP,
        shown="1000; 1000000 with sampling",
    )
    time: float | None = option(None, "Stop after this time, such as 90s, 5m or 2h.", DURATION, STOP)
    check_every: int | None = option(
        None,
        "Iterations between checks of how good the strategy is.",
        whole(1, MOST_ITERATIONS),
        ALGORITHM,
        shown="each time there are 10 % more; with sampling 50 %",
    )
    checkpoint_every: float = option(30.0, "Time between checkpoints.", INTERVAL, KEEP, shown="30s")
    threads: int = option(
        1, "Threads.", whole(1, MOST_THREADS), MACHINE, shown="all cores; 1 with pruning or sampling"
    )
    memory: int = option(DEFAULT_MEMORY, "The most memory to use, such as 8G.", BYTES, MACHINE, shown="8G")
    seed: int = sample_option(0, "Seed of what sampling draws.", whole(0, LARGEST_SEED))
    exploration_decay: bool = sample_option(
        Sampling.exploration_decay, "Give every action at least 1 %, falling to 0 at iteration 40,000.", FLAG
    )
    exploration_mix: bool = sample_option(
        Sampling.exploration_mix,
        "Exploration decay by mixing in uniform play instead of raising and renormalising.",
        FLAG,
    )
    reward: str = sample_option(
        Sampling.reward,
        "Reward transform: y1 none; y2 to y4 weigh losses more.",
        one_of("reward", tuple(REWARDS)),
    )
    regret_floor: float = sample_option(
        Sampling.regret_floor,
        "Mostly skip actions whose regret is this many big blinds below zero; 0: none.",
        number(0.0),
    )


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Drop options that are None, and make a rule of one's own from its name.

    Own code that is a rule runs here and nowhere else: options that a file holds do not come this way.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if "rule" in given:
        given["rule"] = load_rule(given["rule"], own_code=True)
    return given


def flag(name: str) -> str:
    """Spell an option as people write it: `check_every` is check-every."""
    return name.replace("_", "-")


def altered(name: str, **changes: Any) -> Any:
    """Declare an option of `Settings` for another kind of run, with some things changed."""
    base: Field[Any] = Settings.__dataclass_fields__[name]
    default = changes.pop("default", base.default)
    return field(default=default, metadata={**base.metadata, **changes})


@dataclass(frozen=True)
class Settings(RunSettings):
    """The options of a solve."""

    retired = {"prune_near": 0.0, "prune_length": "dynamic"}  # noqa: RUF012

    until: float | None = option(None, "Stop at this exploitability, NashConv/2 in chips.", number(0.0), STOP)
    plan: str = option(
        "auto", f"How iterations are computed: {', '.join(PLANS)}.", one_of("plan", PLANS), ALGORITHM
    )
    form: str = algorithm_option(
        "auto",
        "The form of the game to solve: auto, history or public.",
        one_of("form", FORMS),
        shown="what suits the plan",
    )
    updates: str = algorithm_option(
        "alternating",
        "When regrets are updated: alternating or simultaneous.",
        one_of("update mode", UPDATES),
    )
    dtype: str = option(
        "auto",
        "Numbers of the tables: auto, float64 or float32.",
        one_of("dtype", DTYPES),
        MACHINE,
        kept=True,
        shown="float32 for spot and nolimit and from ten million infoset-actions",
    )
    evaluator: str = option(
        "auto",
        "How showdowns are summed: swept or gemm.",
        one_of("evaluator", EVALUATORS),
        MACHINE,
        shown="the quickest",
    )
    isomorphism: str = algorithm_option(
        "on",
        "on: boards that differ only in the names of suits are solved once; or off.",
        one_of("isomorphism", ("on", "off")),
    )
    device: str = option("cpu", "cpu, or arrays of numpy, torch, cupy or jax.", DEVICE, MACHINE)
    pruning: str = prune_option(Pruning.mode, f"{', '.join(PRUNINGS)}.", one_of("pruning", PRUNINGS))
    prune_gates: str = prune_option(
        Pruning.gates,
        "When to prune: paper, by the paper's tests alone, or lasting, when it will probably last.",
        one_of("prune-gates", tuple(GATES)),
    )
    prune_average: float = prune_option(
        Pruning.average, "C: pruned actions below C/sqrt(T) of the average are set to 0.", number(0.0)
    )
    prune_every: int = prune_option(
        Pruning.every, "Iterations between looks for actions to prune.", whole(1, MOST_ITERATIONS)
    )
    prune_after: str = prune_option(
        Pruning.after,
        "What is played behind an action that returns: cbr or uniform.",
        one_of("prune-after", AFTER),
    )
    grow: str = grow_option(
        "none",
        "continuous_leduc: add bets while solving, by recovery (games) or (regret) transfer; none.",
        one_of("way to grow", ("none", *growing.METHODS)),
    )
    grow_factor: float = grow_option(
        growing.GrowthSettings.factor, "A larger factor adds fewer bets.", number(1e-6)
    )
    grow_every: int = grow_option(5, "Iterations between looks for bets to add.", whole(1, MOST_ITERATIONS))
    grow_estimate: str = grow_option(
        growing.GrowthSettings.estimate,
        "How the regret of bets outside the game is estimated: by transfer or (best) response.",
        one_of("grow-estimate", growing.ESTIMATES),
    )
    grow_version: str = grow_option(
        growing.AdditionSettings.version,
        "repaired, or faithful to the paper: see the page on growing games for the three repairs.",
        one_of("grow-version", growing.VERSIONS),
    )
    grow_discount: str = grow_option(
        growing.AdditionSettings.discount,
        "What earlier iterations are discounted by: recommended, equation (22), or cap, (8).",
        one_of("grow-discount", DISCOUNTS),
    )
    grow_least: int = grow_option(
        growing.AdditionSettings.least_iterations,
        "The fewest iterations of a recovery game; the paper's is 1.",
        whole(1, MOST_ITERATIONS),
    )
    sampling: str = sample_option(
        Sampling.mode, "Monte Carlo CFR: external, outcome or chance; none.", one_of("sampling", SAMPLINGS)
    )
    exploration: float = sample_option(
        Sampling.exploration, "Outcome sampling: the part of the own draws that is uniform.", number(0.0, 1.0)
    )
    reward_unit: float = sample_option(
        Sampling.reward_unit, "Chips in a big blind, the unit of --reward and --regret-floor.", number(0.0)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule is None:
            rule = DEFAULT_RULE if self.sampling == "none" else SAMPLED_RULE
            object.__setattr__(self, "rule", load_rule(rule))
        pruning, sampling = self.how_to_prune, self.how_to_sample
        sampling.check_others(
            pruning,
            {
                "plan": (self.plan, "auto"),
                "updates": (self.updates, "alternating"),
                "evaluator": (self.evaluator, "auto"),
                "isomorphism": (self.isomorphism, "on"),
                "device": (self.device, "cpu"),
                "form": (self.form if self.form != "history" else "auto", "auto"),
            },
        )
        pruning.check_plan(self.plan)
        pruning.check_threads(self.threads)
        if self.grow != "none":
            growing.check_others(self.grow, {name: getattr(self, name) for name in growing.NEEDED})
        if self.device != "cpu" and self.plan not in ("auto", "aggregated"):
            raise InputError(f"device {self.device} runs the aggregated plan alone, not {self.plan}")

    def check_rule(self) -> None:
        """Refuse a rule that cannot be pruned or sampled where that is asked for."""
        self.how_to_prune.check_rule(self.rule)
        self.how_to_sample.check_rule(self.rule)

    def check_given(self, given: Collection[str]) -> None:
        """Refuse options of sampling that were given and change nothing."""
        self.how_to_sample.check_given([name for name in SAMPLING if name in given])
        if self.grow == "none" and (grows := [name for name in given if name.startswith("grow_")]):
            raise InputError(f"{flag(grows[0])} changes nothing: give grow recovery or grow transfer")
        if "seed" in given and not self.how_to_sample:
            raise InputError("seed changes nothing: only sampling draws at random")

    @classmethod
    def _began(cls, began: Mapping[str, Any], rule: Any, run: str) -> Self:
        if began.get("evaluator") == "sweep":  # of earlier versions: the same sums, one terminal at a time
            began = {**began, "evaluator": "swept"}
        return super()._began(began, rule, run)

    @property
    def how_to_prune(self) -> Pruning:
        """The options of pruning together."""
        return Pruning(self.pruning, **{name: getattr(self, key) for key, name in PRUNING.items()})

    @property
    def how_to_grow(self) -> growing.GrowthSettings:
        """The options of growing together, for a run that grows."""
        additions = growing.AdditionSettings(self.grow_version, self.grow_discount, self.grow_least)  # type: ignore[arg-type]
        return growing.GrowthSettings(
            self.grow, self.grow_factor, self.grow_every, self.grow_estimate, additions
        )

    @property
    def how_to_sample(self) -> Sampling:
        """The options of sampling together."""
        return Sampling(self.sampling, **{name: getattr(self, name) for name in SAMPLING})


PRUNING = {
    "prune_gates": "gates",
    "prune_average": "average",
    "prune_every": "every",
    "prune_after": "after",
}
"""The options of pruning, and what `Pruning` calls them."""
SAMPLING = tuple(each.name for each in fields(Sampling) if each.name != "mode")


LIMITS = ("iterations", "until", "time")
