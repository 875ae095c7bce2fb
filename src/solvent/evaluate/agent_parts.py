"""What is measured of a trained agent: matches, what it can lose, post-processings and behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from solvent.evaluate.style_table import (
    HANDS,
    Opponent,
    earlier_opponents,
    match_row,
    play_all,
    run_agent,
    style_opponents,
)
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.files import can_write_in
from solvent.games.betting.rules import HoldemRules
from solvent.play.asked import is_measurable
from solvent.play.contract import Agent
from solvent.strategy.agents.training_run import TrainingRun
from solvent.strategy.post_processing import NONE, PostProcessing, parse_post

POSTS = ("none", "purify", "threshold(0.15)", "new(0.2)")
POSTS_AGAINST = ("random", "initial-weights", "always-call")
POST_PART = 5
"""Post-processings are compared over the other parts' hands divided by this."""
LBR_HANDS = 20_000
INSIDE_FOLDER = "inside"
"""Where a run keeps a best response inside the abstraction while it is learned."""


@dataclass(frozen=True)
class AgentSettings:
    """How thoroughly an agent is measured."""

    hands: int = HANDS
    """Hands of each match, an even number."""
    lbr_hands: int = LBR_HANDS
    """Hands of each local best response, an even number."""
    lbr: tuple[ResponseActions, ...] = STANDARD
    """The settings of local best response."""
    run_outs: int = RUN_OUTS
    inside: DoublingSettings = field(default_factory=DoublingSettings)
    """How long a best response inside the abstraction is learned."""
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
        """Measure a part and put it into `found`; whether it was measured to its end."""
        if part == "styles":
            opponents = style_opponents(self.run, self.settings.post)
            return self._matches(found.setdefault(part, []), opponents, watch, stop)
        if part == "earlier":
            opponents = earlier_opponents(self.run, self.settings.post)
            return self._matches(found.setdefault(part, []), opponents, watch, stop)
        if part == "lbr":
            return measure_responses(self.agent, None, self.settings, found, watch, stop)
        if part == "inside":
            return self._inside(found, watch, stop)
        if part == "posts":
            return self._posts(found.setdefault(part, []), watch, stop)
        found["behaviour"] = self._behaviour(watch, stop)
        return True

    def _matches(
        self, rows: list[dict[str, Any]], opponents: Sequence[Opponent], watch: Watch, stop: Stop
    ) -> bool:
        settings = self.settings
        played = play_all(
            self.agent, opponents, settings.hands, seed=settings.seed, threads=settings.threads, watch=watch,
            stop=stop,
        )  # fmt: skip
        for name, result in played:
            rows.append(match_row(name, result))
        return all(row["complete"] for row in rows)

    def _inside(self, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Learn a best response inside the abstraction; one that was stopped goes on."""
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
        against = [Opponent("the plain strategy", run_agent(self.run))]
        against += [one for one in style_opponents(self.run) if one.name in POSTS_AGAINST]
        hands = max(4, settings.hands // POST_PART // 2 * 2)
        fewer = replace(settings, lbr_hands=max(2, settings.lbr_hands // POST_PART // 2 * 2))
        responses = len(fewer.lbr) * fewer.lbr_hands
        each = len(against) * hands + responses
        for number, text in enumerate(POSTS):
            which = f"post-processing {text} ({number + 1} of {len(POSTS)})"

            def seen(now: Progress, before: int = number * each, which: str = which) -> None:
                watch(
                    Progress(
                        "playing", before + now.done, len(POSTS) * each, f"{which} {now.detail}", unit="hands"
                    )
                )

            def responded(
                now: Progress, before: int = (number + 1) * each - responses, which: str = which
            ) -> None:
                what = f"{which} against {now.detail}"
                watch(Progress("playing", before + now.done, len(POSTS) * each, what, unit="hands"))

            agent = run_agent(self.run, parse_post(text))
            played = play_all(
                agent, against, hands, seed=settings.seed, threads=settings.threads, watch=seen, stop=stop
            )
            matches = [match_row(name, result) for name, result in played]
            if not all(match["complete"] for match in matches):
                return False
            found: dict[str, Any] = {}
            if not measure_responses(agent, None, fewer, found, responded, stop):
                return False
            largest = max(found["lbr"], key=lambda row: float(row["mbb_per_hand"]))
            rows.append({"post": text, "matches": matches, "lbr": largest})
        return True

    def _behaviour(self, watch: Watch, stop: Stop) -> dict[str, Any]:
        settings = self.settings
        watched = Watched(
            self.agent, settings.behaviour_hands, settings.seed, settings.threads, watch=watch, stop=stop
        )
        return {
            "hands": settings.behaviour_hands,
            "checks": [check.as_dict() for check in check_behaviour(watched)],
            "frequencies": summary(watched),
        }


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
        """Measure local best response and put it into `found`; whether it was measured to its end."""
        return measure_responses(self.agent, self.rules, self.settings, found, watch, stop)


def folding_loses(rules: HoldemRules) -> float:
    """Folding every hand from both seats loses the mean of both blinds, in mbb/hand."""
    return 1000 * sum(rules.blinds) / 2 / rules.blinds[1]


def measure_responses(
    agent: Agent,
    rules: HoldemRules | None,
    settings: AgentSettings,
    found: dict[str, Any],
    watch: Watch,
    stop: Stop,
) -> bool:
    """Put what local best response wins with each setting into `found`, and the largest of it.

    Returns whether all hands were played.
    """
    rows: list[dict[str, Any]] = found.setdefault("lbr", [])
    asked = settings.lbr
    for number, actions in enumerate(asked):
        which = f"local best response with {actions} ({number + 1} of {len(asked)})"

        def seen(now: Progress, number: int = number, which: str = which) -> None:
            total = len(asked) * settings.lbr_hands
            watch(Progress("playing", number * settings.lbr_hands + now.done, total, which, unit="hands"))

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
    """Local best response's result, for files."""
    return {
        "actions": result.actions,
        "hands": result.hands,
        "complete": result.complete,
        "mbb_per_hand": result.mbb if result.hands else None,
        "mbb_per_hand_95": result.mbb_interval if result.hands > 2 else None,
        "hands_per_second": result.hands / max(result.seconds, 1e-9),
    }
