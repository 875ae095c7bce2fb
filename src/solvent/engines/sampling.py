"""The options of sampling, and their combinations with others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from solvent.engines.pruning import Pruning, check_number
from solvent.engines.rewards import REWARDS
from solvent.engines.rules import ADDING_UP, RegretRule
from solvent.foundation.errors import InputError

SAMPLINGS = ["none", "external", "outcome", "chance"]
"""Every sampling; `register_sampling` adds one's own."""
DECAY = (0.01, 0.01 / 40_000)
"""Exploration decay: the least probability of an action, and by how much it falls with each iteration."""
NO_DECAY = (0.0, 0.0)
SAMPLED_RULE = "lcfr"
"""The rule unless the user says otherwise."""
EFFECTIVE = {
    "external": ("exploration_decay", "exploration_mix", "reward", "reward_unit", "regret_floor"),
    "chance": ("exploration_decay", "exploration_mix", "reward", "reward_unit", "regret_floor"),
    "outcome": ("exploration", "exploration_decay", "exploration_mix", "reward", "reward_unit"),
}
"""The options that change something, by mode."""


@dataclass(frozen=True)
class Sampling:
    """A sampling and its options.

    `external` draws chance and the other player and tries all own actions; `outcome` draws one play of the game;
    `chance` draws chance alone. The other options are off by default.
    """

    mode: str = "none"
    exploration: float = 0.6
    """Outcome sampling: the fraction of own draws that is uniform rather than from the strategy."""
    exploration_decay: bool = False
    """Whether every strategy that is read gives each action at least y(t) = 0.01 (1 - t / 40,000)."""
    exploration_mix: bool = False
    """Whether decay mixes in uniform play; else it raises what is below and renormalises."""
    reward: str = "y1"
    """The reward transform, which may weigh losses more: see `solvent.engines.rewards`."""
    reward_unit: float = 1.0
    """Chips that make one big blind, in which rewards are written."""
    regret_floor: float = 0.0
    """Big blinds of `reward_unit` chips: regrets do not fall further below zero, and actions near the floor are
    left out on 95 % of passes unless they end the game. 0 is no floor. With lcfr, of the regrets as discounted to
    the iteration."""

    def __post_init__(self) -> None:
        if self.mode not in SAMPLINGS:
            raise InputError(f"there is no sampling {self.mode!r}; choose from {', '.join(SAMPLINGS)}")
        if self.reward not in REWARDS:
            raise InputError(f"there is no reward {self.reward!r}; the rewards are {', '.join(REWARDS)}")
        check_number("exploration", self.exploration)
        check_number("reward-unit", self.reward_unit)
        check_number("regret-floor", self.regret_floor)
        if not 0 < self.exploration <= 1:
            raise InputError(f"exploration must be above 0 and at most 1, not {self.exploration!r}")
        if self.reward_unit == 0:
            raise InputError("reward-unit is the chips of one big blind and must be above 0")
        if self.exploration_mix and not self.exploration_decay:
            raise InputError("exploration-mix says how exploration-decay works; give that too")
        if self.reward_unit != 1 and self.reward == "y1" and not self.regret_floor:
            raise InputError(
                "reward-unit changes nothing with reward y1 and no regret floor; give y2, y3 or y4"
            )

    def __bool__(self) -> bool:
        return self.mode != "none"

    @property
    def effective(self) -> tuple[str, ...]:
        """The options that change something."""
        return EFFECTIVE.get(self.mode, ())

    def check_given(self, given: Collection[str]) -> None:
        """Refuse options that were given and change nothing."""
        for name in given:
            if name not in self.effective:
                option = name.replace("_", "-")
                if not self:
                    raise InputError(f"{option} is for sampling: give sampling external, outcome or chance")
                raise InputError(f"{option} changes nothing with {self.mode} sampling")

    def check_rule(self, rule: RegretRule) -> None:
        """Refuse a rule that touches all regrets at every iteration."""
        if self and not rule.additive:
            own = f". A rule of your own that adds up declares {ADDING_UP}" if rule.own else ""
            raise InputError(
                f"sampling touches few infosets at an iteration, so that the others' regrets cannot fade or be "
                f"cut: give rule cfr or lcfr; {rule} cannot be sampled{own}"
            )

    def check_others(self, pruning: Pruning, options: dict[str, tuple[Any, Any]]) -> None:
        """Reject pruning, and options (a value and a default by name) that are not at their defaults."""
        if not self:
            return
        if pruning.mode != "none":
            raise InputError(
                f"sampling draws what it walks and cannot be pruned; leave out pruning {pruning.mode}"
            )
        for name, (value, default) in options.items():
            if value != default:
                raise InputError(
                    f"{name} {value} is for full-width solves; {self.mode} sampling has a walk of its own on "
                    f"stored histories, with alternating updates"
                )


NO_SAMPLING = Sampling()
