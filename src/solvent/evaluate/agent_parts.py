"""What is measured of a trained agent: matches, local best response, post-processings and behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solvent.evaluate.behaviour import HANDS as BEHAVIOUR_HANDS
from solvent.evaluate.behaviour import Watched, check_behaviour, summary
from solvent.evaluate.local_best_response import (
    LATE,
    RUN_OUTS,
    LocalBestResponse,
    ResponseResult,
    check_hands,
    response_actions,
)
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
from solvent.strategy.post_processing import NONE, PostProcessing, parse_post
from solvent.strategy.training_run import TrainingRun

POSTS = ("none", "purify", "threshold(0.15)", "new(0.2)")
POSTS_AGAINST = ("random", "initial-weights", "always-call")
POST_PART = 5
"""Post-processings are compared over the other parts' hands divided by this."""
LBR_HANDS = 20_000
LBR_ACTIONS = ("fc", "fcpa")


@dataclass(frozen=True)
class AgentSettings:
    """How thoroughly an agent is measured."""

    hands: int = HANDS
    """Hands of each match, an even number."""
    lbr_hands: int = LBR_HANDS
    """Hands of each local best response, an even number."""
    lbr_actions: tuple[str, ...] = LBR_ACTIONS
    lbr_streets: tuple[str, ...] = LATE
    run_outs: int = RUN_OUTS
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
        for actions in self.lbr_actions:
            response_actions(actions, self.lbr_streets)


class TrainedAgent:
    """The newest checkpoint of a training, to be measured (`evaluation.Measured`)."""

    parts = ("styles", "earlier", "lbr", "posts", "behaviour")

    def __init__(self, run: TrainingRun, settings: AgentSettings) -> None:
        self.run, self.settings, self.folder = run, settings, run.folder
        self.agent = run_agent(run, settings.post)
        self.facts = {
            "run": str(run.folder),
            "iterations": run.blueprint().iterations,
            "post": str(settings.post),
            "seed": settings.seed,
        }

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Measure a part and put it into `found`; whether it was measured to its end."""
        if part == "styles":
            return self._matches(found.setdefault(part, []), style_opponents(self.run), watch, stop)
        if part == "earlier":
            opponents = earlier_opponents(self.run, self.settings.post)
            return self._matches(found.setdefault(part, []), opponents, watch, stop)
        if part == "lbr":
            return self._responses(found.setdefault(part, []), watch, stop)
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

    def _responses(self, rows: list[dict[str, Any]], watch: Watch, stop: Stop) -> bool:
        settings = self.settings
        for number, text in enumerate(settings.lbr_actions):
            actions = response_actions(text, settings.lbr_streets)

            def seen(now: Progress, number: int = number, what: str = str(actions)) -> None:
                total = len(settings.lbr_actions) * settings.lbr_hands
                watch(Progress("hands", number * settings.lbr_hands + now.done, total, what))

            response = LocalBestResponse(self.agent, actions, run_outs=settings.run_outs, seed=settings.seed)
            result = response.run(settings.lbr_hands, settings.threads, watch=seen, stop=stop)
            rows.append(response_row(result))
            if not result.complete:
                return False
        return True

    def _posts(self, rows: list[dict[str, Any]], watch: Watch, stop: Stop) -> bool:
        """Measure every post-processing against the plain strategy and players of other kinds."""
        settings = self.settings
        against = [Opponent("as it is", run_agent(self.run))]
        against += [one for one in style_opponents(self.run) if one.name in POSTS_AGAINST]
        hands = max(4, settings.hands // POST_PART // 2 * 2)
        lbr_hands = max(2, settings.lbr_hands // POST_PART // 2 * 2)
        each = len(against) * hands + lbr_hands
        for number, text in enumerate(POSTS):

            def seen(now: Progress, before: int = number * each, who: str = text) -> None:
                watch(Progress("hands", before + now.done, len(POSTS) * each, f"{who} {now.detail}"))

            def responded(
                now: Progress, before: int = (number + 1) * each - lbr_hands, who: str = text
            ) -> None:
                what = f"{who} against local best response"
                watch(Progress("hands", before + now.done, len(POSTS) * each, what))

            agent = run_agent(self.run, parse_post(text))
            played = play_all(
                agent, against, hands, seed=settings.seed, threads=settings.threads, watch=seen, stop=stop
            )
            matches = [match_row(name, result) for name, result in played]
            if not all(match["complete"] for match in matches):
                return False
            actions = response_actions("fcpa", settings.lbr_streets)
            response = LocalBestResponse(agent, actions, seed=settings.seed)
            result = response.run(lbr_hands, settings.threads, watch=responded, stop=stop)
            if not result.complete:
                return False
            rows.append({"post": text, "matches": matches, "lbr": response_row(result)})
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
