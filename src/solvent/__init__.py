"""Solve imperfect-information games and build no-limit hold'em agents from the solutions.

>>> import solvent
>>> result = solvent.solve("kuhn", iterations=100)
>>> round(result.value, 2)
-0.06
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvent.foundation.lazy import lazily
from solvent.foundation.version import __version__

if TYPE_CHECKING:
    from solvent.engines.history.sampled.solver import SamplingSolver as SamplingSolver
    from solvent.engines.history.solver import HistorySolver as HistorySolver
    from solvent.engines.local_update import LocalUpdate as LocalUpdate
    from solvent.engines.local_update import instantaneous_regret as instantaneous_regret
    from solvent.engines.local_update import match_regrets as match_regrets
    from solvent.engines.rules import RegretRule as RegretRule
    from solvent.engines.rules import Weights as Weights
    from solvent.engines.sampling import Sampling as Sampling
    from solvent.engines.solver import Solver as Solver
    from solvent.evaluate.local_best_response import LocalBestResponse as LocalBestResponse
    from solvent.forms.history import GameTree as GameTree
    from solvent.forms.history import compile_tree as compile_tree
    from solvent.forms.public.game import PublicGame as PublicGame
    from solvent.forms.public.game import public_game as public_game
    from solvent.foundation.errors import InputError as InputError
    from solvent.foundation.progress import Interrupted as Interrupted
    from solvent.foundation.progress import Progress as Progress
    from solvent.foundation.progress import Stop as Stop
    from solvent.games.betting.rules import CALL as CALL
    from solvent.games.betting.rules import FOLD as FOLD
    from solvent.games.betting.rules import HoldemRules as HoldemRules
    from solvent.games.betting.rules import Legal as Legal
    from solvent.games.catalogue import load_game as load_game
    from solvent.games.game import CHANCE as CHANCE
    from solvent.games.game import TERMINAL as TERMINAL
    from solvent.games.game import ChanceState as ChanceState
    from solvent.games.game import Game as Game
    from solvent.games.game import GameError as GameError
    from solvent.games.game import State as State
    from solvent.games.public_rules import Betting as Betting
    from solvent.games.public_rules import PublicRules as PublicRules
    from solvent.play.agents import AgentLoader as AgentLoader
    from solvent.play.contract import Mixture as Mixture
    from solvent.play.contract import PublicView as PublicView
    from solvent.play.contract import View as View
    from solvent.play.matches import Match as Match
    from solvent.solving.choose import register_pruning as register_pruning
    from solvent.solving.choose import register_sampling as register_sampling
    from solvent.solving.measure import BestResponse as BestResponse
    from solvent.solving.measure import best_response as best_response
    from solvent.solving.measure import exploitability as exploitability
    from solvent.solving.measure import value_against as value_against
    from solvent.solving.result import Result as Result
    from solvent.solving.settings import Settings as Settings
    from solvent.solving.solve import solve as solve
    from solvent.spots.nodes.solution import open_spot as open_spot
    from solvent.spots.spot import Spot as Spot
    from solvent.strategy.opening import open_strategy as open_strategy
    from solvent.strategy.solved.openspiel import from_openspiel_policy as from_openspiel_policy
    from solvent.strategy.solved.openspiel import to_tabular_policy as to_tabular_policy
    from solvent.strategy.solved.tables import TableStrategy as TableStrategy
    from solvent.strategy.strategy import Strategy as Strategy
    from solvent.training.settings import TrainingSettings as TrainingSettings
    from solvent.training.train import TrainingResult as TrainingResult
    from solvent.training.train import train as train

__getattr__, __dir__ = lazily(__name__)

__all__ = ["__version__", *__dir__()]
