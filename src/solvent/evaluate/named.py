"""Measurements by name: what a name stands for, and settings of local best response from text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvent.evaluate.agent_parts import AgentSettings, NamedAgent, TrainedAgent
from solvent.evaluate.evaluation import Measured
from solvent.evaluate.local_best_response import LATE, STANDARD, ResponseActions, response_actions
from solvent.evaluate.solved_parts import SolvedGame
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained, names_own_code
from solvent.foundation.storage.bundle import MANIFEST
from solvent.foundation.storage.run import Run
from solvent.play.agents import AgentLoader
from solvent.play.stakes import rules_of
from solvent.strategy.agents.training_run import TrainingRun


def measured_by_name(
    name: str,
    settings: AgentSettings,
    cards: Path | None = None,
    stack: float | None = None,
    own_code: bool = False,
) -> Measured:
    """A solved game, a trained agent or any other agent, ready to be measured.

    cards: the folder of a training's card abstraction, should it have moved
    stack: big blinds of an own agent
    own_code: whether the code of a solved game that is own code may run
    """
    folder = Path(name)
    if not folder.is_dir():
        if not names_own_code(name):
            raise InputError(f"there is no folder {name}")
        agent = AgentLoader(cards=cards).load(name)
        with explained():
            return NamedAgent(agent, rules_of([agent], None if stack is None else f"{stack:g}"), settings)
    if stack is not None:
        raise InputError(
            "--stack is for own agents; a training is measured with the stacks it was trained with"
        )
    if (folder / MANIFEST).is_file() or Run.open(folder).kind == "solve":
        return SolvedGame(folder, own_code)
    return TrainedAgent(TrainingRun.open(folder, cards), settings)


def response_settings(actions: Sequence[str] | None, streets: str | None) -> tuple[ResponseActions, ...]:
    """The settings of local best response: the standard ones unless actions or streets are given."""
    if actions is None and streets is None:
        return STANDARD
    where = LATE if streets is None else tuple(listed(streets))
    return tuple(response_actions(text, where) for text in actions or ("fc", "fcpa"))


def listed(text: str) -> list[str]:
    """The words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]
