"""All that is measured of a training, part by part, and the file that keeps it: `evaluation.json` in its folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from solvent.evaluate.behaviour import DEALS, Watched, check_behaviour, summary
from solvent.evaluate.local_best_response import (
    LATE,
    RUN_OUTS,
    LocalBestResponse,
    ResponseResult,
    check_hands,
    response_actions,
)
from solvent.evaluate.style_table import (
    PAIRS,
    Opponent,
    earlier_opponents,
    match_row,
    play_all,
    run_agent,
    style_opponents,
)
from solvent.foundation.errors import InputError
from solvent.foundation.files import write_text
from solvent.strategy.post_processing import NONE, PostProcessing, parse_post
from solvent.strategy.training_run import TrainingRun

PARTS = ("styles", "earlier", "lbr", "posts", "behaviour")
POSTS = ("none", "purify", "threshold(0.15)", "new(0.2)")
POSTS_AGAINST = ("random", "initial-weights", "always-call")
POST_PART = 5
"""Post-processings are compared over this part of the pairs and hands of the other matches."""
FILE = "evaluation.json"
KEPT = 8
"""Strategies that the file speaks of: checkpoints and post-processings."""
HANDS = 20_000
ACTIONS = ("fc", "fcpa")
Seen = Callable[[str, int, int], None]
"""Called with what is under way, how much of it is done and how much there is."""


@dataclass(frozen=True)
class Options:
    """What to measure, and how thoroughly."""

    parts: tuple[str, ...] = PARTS
    pairs: int = PAIRS
    """Of each match."""
    lbr_hands: int = HANDS
    lbr_actions: tuple[str, ...] = ACTIONS
    lbr_streets: tuple[str, ...] = LATE
    run_outs: int = RUN_OUTS
    deals: int = DEALS
    """That behaviour is watched over."""
    post: PostProcessing = NONE
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        unknown = [part for part in self.parts if part not in PARTS]
        if unknown or not self.parts:
            raise InputError(
                f"parts of an evaluation are {', '.join(PARTS)}, not {', '.join(unknown) or 'none'}"
            )
        if min(self.pairs, self.deals) < 1:
            raise InputError("an evaluation has at least one pair of hands and one deal")
        check_hands(self.lbr_hands)
        for actions in self.lbr_actions:
            response_actions(actions, self.lbr_streets)


class Evaluation:
    """A training being measured; `document` holds what there is so far."""

    def __init__(self, training: TrainingRun, options: Options, seen: Seen | None = None) -> None:
        self.training, self.options = training, options
        self.seen = seen or (lambda what, done, total: None)
        self.agent = run_agent(training, options.post)
        self.iterations = int(self.agent.name.rpartition("#")[2])
        self.document: dict[str, Any] = {
            "run": str(training.folder),
            "iterations": self.iterations,
            "post": str(options.post),
            "seed": options.seed,
            "parts": {},
            "complete": False,
        }

    def run(self) -> dict[str, Any]:
        """Measure every part that was asked for. An interrupt ends it with what was done."""
        made = {
            "styles": lambda: self._matches("styles", style_opponents(self.training)),
            "earlier": lambda: self._matches("earlier", earlier_opponents(self.training, self.options.post)),
            "lbr": self._responses,
            "posts": self._posts,
            "behaviour": self._behaviour,
        }
        done = self.document["parts"]
        with suppress(KeyboardInterrupt):
            for part in (part for part in PARTS if part in self.options.parts):
                done[part] = False
                done[part] = made[part]()
                if not done[part]:
                    break
        self.document["complete"] = all(done.get(part) for part in self.options.parts)
        return self.document

    def _matches(self, part: str, opponents: Sequence[Opponent]) -> bool:
        options, rows = self.options, self.document.setdefault(part, [])
        played = play_all(
            self.agent, opponents, options.pairs, seed=options.seed, threads=options.threads,
            seen=lambda name, done, total: self.seen(f"against {name}", done, total),
        )  # fmt: skip
        for name, result in played:
            rows.append(match_row(name, result))
        return all(row["complete"] for row in rows)

    def _responses(self) -> bool:
        options, rows = self.options, self.document.setdefault("lbr", [])
        for text in options.lbr_actions:
            actions = response_actions(text, options.lbr_streets)
            what = f"local best response, {actions}"
            self.seen(what, 0, options.lbr_hands)
            response = LocalBestResponse(self.agent, actions, run_outs=options.run_outs, seed=options.seed)
            result = response.run(
                options.lbr_hands,
                options.threads,
                lambda now, what=what: self.seen(what, int(now.done), int(now.total or 0)),  # type: ignore[misc]
            )
            rows.append(response_row(result))
            if not result.complete:
                return False
        return True

    def _posts(self) -> bool:
        """Every post-processing against the strategy as it is and players of other making."""
        options, rows = self.options, self.document.setdefault("posts", [])
        against = [Opponent("as it is", run_agent(self.training))]
        against += [one for one in style_opponents(self.training) if one.name in POSTS_AGAINST]
        for text in POSTS:
            agent = run_agent(self.training, parse_post(text))
            played = play_all(
                agent, against, max(2, options.pairs // POST_PART), seed=options.seed, threads=options.threads,
                seen=partial(self._seen_against, text),
            )  # fmt: skip
            matches = [match_row(name, result) for name, result in played]
            if not all(match["complete"] for match in matches):
                return False
            response = LocalBestResponse(
                agent, response_actions("fcpa", options.lbr_streets), seed=options.seed
            )
            self.seen(f"{text}: local best response", 0, 1)
            hands = max(2, options.lbr_hands // POST_PART // 2 * 2)
            result = response.run(hands, options.threads)
            if not result.complete:
                return False
            rows.append({"post": text, "matches": matches, "lbr": response_row(result)})
        return True

    def _seen_against(self, who: str, name: str, done: int, total: int) -> None:
        self.seen(f"{who} against {name}", done, total)

    def _behaviour(self) -> bool:
        options = self.options
        watched = Watched(
            self.agent, options.deals, options.seed, options.threads,
            lambda now: self.seen("behaviour", int(now.done), int(now.total or 0)),
        )  # fmt: skip
        self.document["behaviour"] = {
            "deals": options.deals,
            "checks": [check.as_dict() for check in check_behaviour(watched)],
            "frequencies": summary(watched),
        }
        return True

    def save(self) -> Path:
        """Write the file. It keeps what was measured of other strategies of the training, and of this one the parts
        that were not measured now, or not to their end."""
        path, mine = self.training.folder / FILE, self.document
        others, kept = [], dict[str, Any]()
        for found in read_evaluations(self.training.folder):
            if all(found.get(key) == mine[key] for key in ("iterations", "post")):
                whole = found.get("parts", {})
                kept = {part: found[part] for part in PARTS if whole.get(part) and part in found}
            else:
                others.append(found)
        stale = {part for part in kept if mine["parts"].get(part)}
        kept = {part: rows for part, rows in kept.items() if part not in stale}
        parts = mine["parts"] | dict.fromkeys(kept, True)
        newest = mine | kept | {"parts": parts, "complete": all(parts.values())}
        write_text(path, json.dumps({"evaluations": [newest, *others][:KEPT]}, indent=1) + "\n")
        return path


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


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """What a training's file says of each strategy, the last measured first; empty where none can be read."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))["evaluations"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
