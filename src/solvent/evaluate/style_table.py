"""A run against variants of itself, against players by rule, and against its own earlier checkpoints.

Winning against one's own variants does not measure how much an agent can lose; local best response and, in small
games, the best response do. It shows that the strategy has learnt something and that changing it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from solvent.foundation.progress import Progress
from solvent.play.expected import can_be_averaged, expected_match
from solvent.play.matches import Match, MatchResult
from solvent.play.styles import STYLES
from solvent.play.table_agent import RULES, TableAgent, rule_agent, table_agent
from solvent.strategy.post_processing import NONE, PostProcessing
from solvent.strategy.training_run import TrainingRun

PAIRS = 100_000
RULED = ("always-fold", "always-call")


@dataclass(frozen=True)
class Opponent:
    """Somebody that the run plays against."""

    name: str
    agent: TableAgent


Seen = Callable[[str, int, int], None]
"""Called with the opponent, hands played and hands to play."""


def run_agent(
    training: TrainingRun, post: PostProcessing = NONE, iterations: int | None = None
) -> TableAgent:
    """The agent of a training: its newest checkpoint, or that of so many iterations."""
    model = training.blueprint(iterations)
    return table_agent(f"{training.folder}#{model.iterations}", [model], post=post)


def style_opponents(training: TrainingRun) -> list[Opponent]:
    """The run's own strategy changed into other players, and players by rule."""
    model = training.blueprint()
    styles = [Opponent(style, table_agent(style, [model], style)) for style in STYLES[1:]]
    return styles + [Opponent(name, rule_agent(name)) for name in RULED if name in RULES]


def earlier_opponents(training: TrainingRun, post: PostProcessing = NONE) -> list[Opponent]:
    """The run's earlier checkpoints, oldest first."""
    numbers = training.checkpoints()
    return [Opponent(f"{number:,} iterations", run_agent(training, post, number)) for number in numbers[:-1]]


def play_all(
    agent: TableAgent,
    opponents: Sequence[Opponent],
    pairs: int = PAIRS,
    *,
    seed: int = 0,
    threads: int = 1,
    seen: Seen | None = None,
) -> Iterator[tuple[str, MatchResult]]:
    """The run against each of them over duplicate deals; an interrupted match is the last.

    Agents of one betting tree are averaged over what they may draw, which takes far fewer deals to be sure of;
    others' hands are played.
    """
    assert agent.rules is not None
    for opponent in opponents:

        def progress(now: Progress, name: str = opponent.name) -> None:
            if seen is not None:
                seen(name, int(now.done), int(now.total or 0))

        if can_be_averaged(agent, opponent.agent):
            result = expected_match(agent, opponent.agent, pairs, seed, threads, progress)
        else:
            result = Match(agent, opponent.agent, agent.rules, 2 * pairs, seed).run(threads, progress)
        yield opponent.name, result
        if not result.complete:
            return


def match_row(opponent: str, result: MatchResult) -> dict[str, Any]:
    """A line of the table, for files."""
    won = result.winnings
    return {
        "opponent": opponent,
        "hands": won.hands,
        "complete": result.complete,
        "mbb_per_hand": won.mbb if won.pairs else None,
        "mbb_per_hand_95": won.mbb_interval if won.pairs > 1 else None,
        "bb_per_100": won.bb_per_100 if won.pairs else None,
        "bb_per_100_95": won.bb_per_100_interval if won.pairs > 1 else None,
        "hands_per_second": won.hands / max(result.seconds, 1e-9),
    }
