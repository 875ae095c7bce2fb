"""Matches of a trained agent against variants of itself, players by rule, and its own earlier checkpoints.

Winning against one's own variants does not measure how much an agent can lose: local best response and, in small
games, the best response do. It shows that the strategy has learnt something and that changing it costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from solvent.foundation.progress import Progress, Stop, Watch
from solvent.play.asked import averaged_match
from solvent.play.matches import MatchResult
from solvent.play.styles import STYLES
from solvent.play.table_agent import TableAgent, rule_agent, table_agent
from solvent.strategy.agents.training_run import TrainingRun
from solvent.strategy.post_processing import NONE, PostProcessing

HANDS = 200_000
"""Hands of each match."""
BY_RULE = ("always-fold", "always-call")


@dataclass(frozen=True)
class Opponent:
    """An agent that the trained one plays against, by the name that tables show."""

    name: str
    agent: TableAgent


def run_agent(run: TrainingRun, post: PostProcessing = NONE, iterations: int | None = None) -> TableAgent:
    """The agent of a training: its newest checkpoint, or the one after so many iterations."""
    model = run.blueprint(iterations)
    return table_agent(f"{run.folder}#{model.iterations}", [model], post=post)


def style_opponents(run: TrainingRun, post: PostProcessing = NONE) -> list[Opponent]:
    """The run's own strategy changed into other players, and players by rule.

    A style changes the strategy first; the result is post-processed, as the agent is.
    """
    model = run.blueprint()
    styles = [Opponent(style, table_agent(style, [model], style, post)) for style in STYLES[1:]]
    return styles + [Opponent(name, rule_agent(name)) for name in BY_RULE]


def earlier_opponents(run: TrainingRun, post: PostProcessing = NONE) -> list[Opponent]:
    """The run's earlier checkpoints, oldest first."""
    return [
        Opponent(f"{number:,} iterations", run_agent(run, post, number)) for number in run.checkpoints()[:-1]
    ]


def play_all(
    agent: TableAgent,
    opponents: Sequence[Opponent],
    hands: int = HANDS,
    *,
    seed: int = 0,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Iterator[tuple[str, MatchResult]]:
    """The agent against each opponent over duplicate deals; a match that is stopped is the last.

    Agents of one betting tree are averaged over what they may draw, which takes far fewer deals to be sure of.
    """
    assert agent.rules is not None
    for number, opponent in enumerate(opponents):
        who = f"against {opponent.name} ({number + 1} of {len(opponents)})"

        def seen(now: Progress, before: int = number * hands, who: str = who) -> None:
            if watch is not None:
                watch(Progress("playing", before + now.done, len(opponents) * hands, who, unit="hands"))

        result = averaged_match(
            agent, opponent.agent, agent.rules, hands // 2, seed=seed, threads=threads, watch=seen, stop=stop
        )
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
