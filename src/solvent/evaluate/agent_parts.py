"""Measurements of a trained agent: matches, what it can lose, post-processings and behaviour.

Matches are against variants of itself, players by rule, and its own earlier checkpoints. Winning them does not
measure how much an agent can lose: local best response and, in small games, the best response do. It shows that the
strategy has learned something and that changing it costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from solvent.evaluate.behaviour import HANDS as BEHAVIOUR_HANDS
from solvent.evaluate.behaviour import Watched, summary
from solvent.evaluate.behaviour_checks import check_behaviour
from solvent.evaluate.local_best_response import (
    RUN_OUTS,
    STANDARD,
    LocalBestResponse,
    ResponseActions,
    ResponseResult,
    check_hands,
    largest_response,
)
from solvent.evaluate.response_doublings import DoublingSettings, ResponseDoublings
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.files import can_write_in
from solvent.games.betting.rules import HoldemRules
from solvent.play.asked import averaged_match, is_measurable
from solvent.play.contract import Agent
from solvent.play.matches import MatchResult
from solvent.play.styles import STYLES
from solvent.play.table_agent import TableAgent, rule_agent, table_agent
from solvent.strategy.agents.training_run import TrainingRun
from solvent.strategy.post_processing import NONE, PostProcessing, parse_post

HANDS = 200_000
BY_RULE = ("always-fold", "always-call")
POSTS = ("none", "purify", "threshold(0.15)", "new(0.2)")
POSTS_AGAINST = ("random", "initial-weights", "always-call")
POST_PART = 5
"""Divisor of the other parts' hands that gives the hands over which post-processings are compared."""
LBR_HANDS = 20_000
INSIDE_FOLDER = "inside"
"""Folder of a run for a best response inside the abstraction while it is learned."""


@dataclass(frozen=True)
class AgentSettings:
    """Settings of an agent's measurements."""

    hands: int = HANDS
    """Hands of each match, an even number."""
    lbr_hands: int = LBR_HANDS
    """Hands of each local best response, an even number."""
    lbr: tuple[ResponseActions, ...] = STANDARD
    run_outs: int = RUN_OUTS
    inside: DoublingSettings = field(default_factory=DoublingSettings)
    behaviour_hands: int = BEHAVIOUR_HANDS
    post: PostProcessing = NONE
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        if self.hands < 4 or self.hands % 2:
            raise InputError(f"a match has an even number of at least 4 hands, not {self.hands}")
        if self.behaviour_hands < 1:
            raise InputError(f"behaviour is watched over at least one hand, not {self.behaviour_hands}")
        check_hands(self.lbr_hands)


class TrainedAgent:
    """The newest checkpoint of a training, to be measured (`evaluation.Measured`)."""

    parts = ("styles", "earlier", "lbr", "inside", "posts", "behaviour")
    usual = ("styles", "earlier", "lbr", "posts", "behaviour")

    def __init__(self, run: TrainingRun, settings: AgentSettings) -> None:
        self.run, self.settings = run, settings
        self.folder = run.folder if can_write_in(run.folder) else None
        self.agent = run_agent(run, settings.post)
        self.facts = {
            "run": str(run.folder),
            "iterations": run.blueprint().iterations,
            "post": str(settings.post),
            "seed": settings.seed,
            "folding_loses": folding_loses(run.blueprint().tree.abstraction.rules),
        }

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Measure a part and put it into `found`; returns whether it was measured to its end."""
        if part in ("styles", "earlier"):
            opponents = style_opponents if part == "styles" else earlier_opponents
            against, hands = opponents(self.run, self.settings.post), self.settings.hands
            return self._matches(found.setdefault(part, []), self.agent, against, hands, watch, stop)
        if part == "lbr":
            return measure_responses(self.agent, None, self.settings, found, watch, stop)
        if part == "inside":
            return self._inside(found, watch, stop)
        if part == "posts":
            return self._posts(found.setdefault(part, []), watch, stop)
        hands, seed, threads = self.settings.behaviour_hands, self.settings.seed, self.settings.threads
        watched = Watched(self.agent, hands, seed, threads, watch=watch, stop=stop)
        checks = [asdict(check) for check in check_behaviour(watched)]
        found["behaviour"] = {"hands": hands, "checks": checks, "frequencies": summary(watched)}
        return True

    def _matches(
        self,
        rows: list[dict[str, Any]],
        agent: TableAgent,
        against: Mapping[str, TableAgent],
        hands: int,
        watch: Watch,
        stop: Stop,
    ) -> bool:
        seed, threads = self.settings.seed, self.settings.threads
        played = play_all(agent, against, hands, seed=seed, threads=threads, watch=watch, stop=stop)
        for name, result in played:
            rows.append(match_row(name, result))
        return all(row["complete"] for row in rows)

    def _inside(self, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Learn a best response inside the abstraction, or continue one that was stopped."""
        settings = self.settings
        doublings = ResponseDoublings(
            self.run.blueprint(), settings.inside, post=settings.post, weight=self.run.run.facts().get("weight"),
            folder=None if self.folder is None else self.folder / INSIDE_FOLDER, threads=settings.threads,
        )  # fmt: skip
        found["inside"] = doublings.found
        doublings.run(watch, stop)
        return True

    def _posts(self, rows: list[dict[str, Any]], watch: Watch, stop: Stop) -> bool:
        """Measure every post-processing against the same players, none of whom is post-processed."""
        settings = self.settings
        styles = style_opponents(self.run)
        against = {"the plain strategy": run_agent(self.run)}
        against |= {name: agent for name, agent in styles.items() if name in POSTS_AGAINST}
        hands = max(4, settings.hands // POST_PART // 2 * 2)
        fewer = replace(settings, lbr_hands=max(2, settings.lbr_hands // POST_PART // 2 * 2))
        responses = len(fewer.lbr) * fewer.lbr_hands
        each = len(against) * hands + responses
        for number, text in enumerate(POSTS):
            which = f"post-processing {text} ({number + 1} of {len(POSTS)})"
            agent, found = run_agent(self.run, parse_post(text)), dict[str, Any](matches=[])
            seen = _part_of(watch, number * each, len(POSTS) * each, which)
            if not self._matches(found["matches"], agent, against, hands, seen, stop):
                return False
            before = (number + 1) * each - responses
            seen = _part_of(watch, before, len(POSTS) * each, f"{which} against")
            if not measure_responses(agent, None, fewer, found, seen, stop):
                return False
            largest = max(found["lbr"], key=lambda row: float(row["mbb_per_hand"]))
            rows.append({"post": text, "matches": found["matches"], "lbr": largest})
        return True


class NamedAgent:
    """An agent that is no training, to be measured by local best response; nothing of it is kept."""

    parts = usual = ("lbr",)
    folder = None

    def __init__(self, agent: Agent, rules: HoldemRules, settings: AgentSettings) -> None:
        if not is_measurable(agent):
            raise InputError(
                f"{agent.name} does not say its probabilities, so local best response cannot measure it; give it "
                f"probabilities(view), which returns a Mixture for all 1,326 hands, or play matches against it"
            )
        self.agent, self.rules, self.settings = agent, rules, settings
        self.facts = {
            "agent": agent.name,
            "stack_bb": rules.effective_stack / rules.blinds[1],
            "seed": settings.seed,
            "folding_loses": folding_loses(rules),
        }

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Measure local best response and put it into `found`; returns whether it was measured to its end."""
        return measure_responses(self.agent, self.rules, self.settings, found, watch, stop)


def folding_loses(rules: HoldemRules) -> float:
    """Loss of folding every hand from both seats, the mean of both blinds, in mbb/hand."""
    return 1000 * sum(rules.blinds) / 2 / rules.blinds[1]


def measure_responses(
    agent: Agent,
    rules: HoldemRules | None,
    settings: AgentSettings,
    found: dict[str, Any],
    watch: Watch,
    stop: Stop,
) -> bool:
    """Store each setting's LBR winnings and their maximum in `found`; returns whether all hands were played."""
    rows: list[dict[str, Any]] = found.setdefault("lbr", [])
    asked = settings.lbr
    for number, actions in enumerate(asked):
        which = f"local best response with {actions} ({number + 1} of {len(asked)})"
        total = len(asked) * settings.lbr_hands
        seen = _part_of(watch, number * settings.lbr_hands, total, which)
        response = LocalBestResponse(agent, actions, rules, settings.run_outs, settings.seed)
        result = response.run(settings.lbr_hands, settings.threads, watch=seen, stop=stop)
        rows.append(response_row(result))
        if not result.complete:
            return False
    if settings.lbr_hands > 2:
        largest = largest_response(
            [(row["actions"], row["mbb_per_hand"], row["mbb_per_hand_95"]) for row in rows]
        )
        found["lbr_maximum"] = {
            "actions": largest.actions,
            "mbb_per_hand": largest.mbb,
            "mbb_per_hand_95": list(largest.mbb_range),
        }
    return True


def response_row(result: ResponseResult) -> dict[str, Any]:
    """Write the result of local best response for files."""
    return {
        "actions": result.actions,
        "hands": result.hands,
        "complete": result.complete,
        "mbb_per_hand": result.mbb if result.hands else None,
        "mbb_per_hand_95": result.mbb_interval if result.hands > 2 else None,
        "hands_per_second": result.hands / max(result.seconds, 1e-9),
    }


def run_agent(run: TrainingRun, post: PostProcessing = NONE, iterations: int | None = None) -> TableAgent:
    """Load the agent of a training: its newest checkpoint, or that of an iteration."""
    model = run.blueprint(iterations)
    return table_agent(f"{run.folder}#{model.iterations}", [model], post=post)


def style_opponents(run: TrainingRun, post: PostProcessing = NONE) -> dict[str, TableAgent]:
    """Change the run's own strategy into other players, and add players by rule.

    A style changes the strategy first; the result is post-processed, as the agent is.
    """
    model = run.blueprint()
    styles = {style: table_agent(style, [model], style, post) for style in STYLES[1:]}
    return styles | {name: rule_agent(name) for name in BY_RULE}


def earlier_opponents(run: TrainingRun, post: PostProcessing = NONE) -> dict[str, TableAgent]:
    """Load the agents of the run's earlier checkpoints, oldest first."""
    return {f"{number:,} iterations": run_agent(run, post, number) for number in run.checkpoints()[:-1]}


def play_all(
    agent: TableAgent,
    opponents: Mapping[str, TableAgent],
    hands: int = HANDS,
    *,
    seed: int = 0,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Iterator[tuple[str, MatchResult]]:
    """Play the agent against each opponent over duplicate deals; a match that is stopped is the last.

    Agents of one betting tree are averaged over what they may draw, which takes far fewer deals to be sure of.
    """
    assert agent.rules is not None
    for number, (name, opponent) in enumerate(opponents.items()):
        who, total = f"against {name} ({number + 1} of {len(opponents)})", len(opponents) * hands
        seen = None if watch is None else _part_of(watch, number * hands, total, who)
        result = averaged_match(
            agent, opponent, agent.rules, hands // 2, seed=seed, threads=threads, watch=seen, stop=stop
        )
        yield name, result
        if not result.complete:
            return


def match_row(opponent: str, result: MatchResult) -> dict[str, Any]:
    """Write the result of a match for files."""
    return {
        "opponent": opponent,
        "hands": result.winnings.hands,
        "complete": result.complete,
        **result.winnings.as_dict(),
        "hands_per_second": result.hands_per_second,
    }


def _part_of(watch: Watch, before: int, total: int, what: str) -> Watch:
    """Watch some of `total` hands, of which `before` have been played, under a name."""

    def tell(now: Progress) -> None:
        watch(Progress("playing", before + now.done, total, f"{what} {now.detail}".rstrip(), unit="hands"))

    return tell
