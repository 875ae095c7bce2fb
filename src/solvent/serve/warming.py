"""Compile kernels before they are needed: each command in miniature, on small games and empty tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from solvent.abstraction.cards.buckets import CardAbstraction, table_bounds, table_shapes
from solvent.abstraction.cards.presets import Design
from solvent.evaluate.behaviour import Watched
from solvent.evaluate.local_best_response import LocalBestResponse, response_actions
from solvent.forms.betting.tree import build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.play.matches import round_robin
from solvent.play.table_agent import TableAgent, rule_agent, table_agent
from solvent.solving.solve import solve
from solvent.spots.run import warm_up
from solvent.spots.settings import SpotSettings
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.settings import PARTS, TRAINING_SAMPLINGS, TrainingSettings
from solvent.training.work import Length, Training

BETTING = "preflop=3x,a; flop=50%,a; cap=1; stack=10"
GAMES = (("kuhn", "auto"), ("leduc", "auto"), ("kuhn", "serial"))
"""Games and plans: the public form's, and the history form's, on which OpenSpiel games are solved."""


@cache
def _blueprint() -> Blueprint:
    """A blueprint over card tables of zeros, which take no memory until they are written to."""
    design = Design(clusters=1, flop=1, turn=1, river=1, strips=1, codes_per_strip=1)
    arrays = {
        name: np.zeros(shape, dtype=np.int16 if name == "cluster_of_flop" else np.uint16)
        for name, shape in table_shapes(design).items()
    }
    assert all(bound >= 1 for bound in table_bounds(design).values())
    facts = {"design": design.as_dict(), "fingerprint": "warming up"}
    return Blueprint(build_tree(parse_betting(BETTING)), CardAbstraction(arrays, facts))


def _agent() -> TableAgent:
    return table_agent("warming up", [_blueprint()])


def warm_solve() -> None:
    """Solve two small games by default, and one on its histories."""
    for game, plan in GAMES:
        solve(game, plan=plan, iterations=2)


def warm_train() -> None:
    """Train on a small betting tree for no iterations, by each way of sampling."""
    model = _blueprint()
    for sampling in TRAINING_SAMPLINGS:
        Training(model.tree, model.cards, TrainingSettings(sampling=sampling), Length(PARTS)).warm_up()


def warm_match() -> None:
    """Play a few hands of a trained agent against one by a rule."""
    agent = _agent()
    assert agent.rules is not None
    round_robin([agent, rule_agent("always-call")], agent.rules, 4, 0, 1)


def warm_evaluate() -> None:
    """Measure an agent by local best response and by its behaviour, over a few hands."""
    LocalBestResponse(_agent(), response_actions("fcpa")).run(2, 1)
    Watched(_agent(), 2)


def warm_spot() -> None:
    """Solve a spot of a few hands."""
    warm_up(SpotSettings().dtype)


WARMED: dict[str, Callable[[], None]] = {
    "solve": warm_solve,
    "train": warm_train,
    "match": warm_match,
    "evaluate": warm_evaluate,
    "spot": warm_spot,
}
"""The function that compiles the kernels of each command."""
