"""No-limit hold'em in one place: rules, betting and card abstractions, training.

from solvent import holdem

state = holdem.start(holdem.HoldemRules())
betting = holdem.parse_betting("fcpa")
trained = holdem.train(cards, betting="fcpa", time="5m", out="runs/agent")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvent.foundation.lazy import lazily

if TYPE_CHECKING:
    from solvent.abstraction.cards.buckets import CardAbstraction as CardAbstraction
    from solvent.abstraction.cards.build import build as build_cards  # noqa: F401
    from solvent.abstraction.cards.presets import Design as Design
    from solvent.abstraction.cards.presets import preset_named as preset_named
    from solvent.forms.betting.tree import BettingTree as BettingTree
    from solvent.forms.betting.tree import build_tree as build_tree
    from solvent.games.betting.rules import CALL as CALL
    from solvent.games.betting.rules import FOLD as FOLD
    from solvent.games.betting.rules import HoldemRules as HoldemRules
    from solvent.games.betting.rules import HoldemState as HoldemState
    from solvent.games.betting.rules import act as act
    from solvent.games.betting.rules import legal as legal
    from solvent.games.betting.rules import payoffs as payoffs
    from solvent.games.betting.rules import start as start
    from solvent.games.betting.sizes import BettingAbstraction as BettingAbstraction
    from solvent.games.betting.sizes import betting_presets as betting_presets
    from solvent.games.betting.sizes import parse_betting as parse_betting
    from solvent.strategy.agents.trained import TrainedStrategy as TrainedStrategy
    from solvent.strategy.agents.training_run import TrainingRun as TrainingRun
    from solvent.training.settings import TrainingSettings as TrainingSettings
    from solvent.training.train import TrainingResult as TrainingResult
    from solvent.training.train import train as train

__getattr__, __dir__ = lazily(__name__)
