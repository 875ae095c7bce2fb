"""The price of a post-processing: what local best response wins from the agent with it, by several settings."""

from __future__ import annotations

from functools import partial

from solvent.evaluate.local_best_response import (
    STANDARD,
    LargestResponse,
    LocalBestResponse,
    ResponseActions,
    largest_response,
)
from solvent_papers.confidence import Interval
from solvent_papers.kept import KeptRuns
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, found_by, once
from solvent_papers.steps import Say
from solvent_papers.tartanian7.post_processing import chosen, table_two
from solvent_papers.tartanian7.post_processing.meetings import NONE, named
from solvent_papers.tartanian7.post_processing.players import AGENT, Setup, load

NAME = "price"


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Let every setting respond to every post-processing of Table 2 and to those that were chosen."""
    picked = chosen.chosen_posts(found_by(setup, chosen.NAME))
    rows = []
    for post in dict.fromkeys((*table_two.POSTS, *picked)):
        for actions in STANDARD:
            setting = {"post": post, "actions": str(actions)}
            rows.append(setting | once(kept, setting, partial(respond, setup, say, post, actions)))
    return {"hands": setup.amount.local_hands, "rows": rows}


def respond(setup: Setup, say: Say, post: str, actions: ResponseActions) -> dict[str, float]:
    """What one setting of local best response wins from the agent with a post-processing."""
    say(f"{post}: local best response, {actions}")
    response = LocalBestResponse(load(setup, AGENT, post), actions)
    won = response.run(setup.amount.local_hands, setup.threads)
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def posts_of(found: Found) -> list[str]:
    """The post-processings that were measured."""
    return list(dict.fromkeys(row["post"] for row in found["rows"]))


def largest(found: Found, post: str) -> LargestResponse:
    """The most that a local best response wins from a post-processing."""
    rows = [row for row in found["rows"] if row["post"] == post]
    return largest_response([(row["actions"], row["mbb"], row["interval"]) for row in rows])


def figures(found: Found) -> dict[str, float]:
    """What the largest response wins from each post-processing, with its interval."""
    result: dict[str, float] = {}
    for post in posts_of(found):
        most = largest(found, post)
        result |= named(f"lbr.{post}", Interval(most.mbb, *most.mbb_range))
    return result


def section(found: Found) -> str:
    """The part's section of the page."""
    rows = []
    for post in posts_of(found):
        most = largest(found, post)
        low, high = most.mbb_range
        by = [f"{row['mbb']:+,.0f} ± {row['interval']:,.0f}" for row in found["rows"] if row["post"] == post]
        rows.append([f"`{post}`", *by, f"{most.mbb:+,.0f} [{low:+,.0f}, {high:+,.0f}]"])
    parts = [
        "## The price: local best response",
        f"What local best response wins from the agent in mbb/hand over {found['hands']:,} hands a setting: a "
        "lower bound of what the agent can lose to an opponent who knows its strategy. The largest setting counts, "
        "with an interval that allows for the choice.",
        markdown_table(["post-processing", *map(str, STANDARD), "largest"], rows),
        verdict(found),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


def verdict(found: Found) -> str:
    """Which post-processings surely lose more to local best response than none."""
    high = largest(found, NONE).mbb_range[1]
    others = [post for post in posts_of(found) if post != NONE]
    dearer = [f"`{post}`" for post in others if largest(found, post).mbb_range[0] > high]
    return f"Surely dearer than `none` (intervals apart): {', '.join(dearer) or 'no post-processing'}."


PRICE = Part(NAME, measure, section, figures, lambda found: [], made_of=(chosen.NAME,))
