"""The declaration of `solvent reproduce post-processing`: its parts, their figures and what the page needs.

After the trainings, `strength` shows which opponents are at least as strong as the agent; `table-2` plays the
paper's post-processings against those; `chosen` chooses one on half of them and judges it on the others; `price`
measures what local best response wins from each.
"""

from __future__ import annotations

from typing import Any

from solvent.evaluate.local_best_response import (
    STANDARD,
    LargestResponse,
    LocalBestResponse,
    ResponseActions,
    largest_response,
)
from solvent_papers.confidence import Interval
from solvent_papers.frame.cards import CardSetup
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say
from solvent_papers.frame.running import KeptRuns, found_by
from solvent_papers.tartanian7.post_processing.meetings import (
    AGENT,
    FAMILY,
    FOLD_ALONE,
    LOWER_TAU,
    NEW,
    NONE,
    OPPONENTS,
    PLAYERS,
    TRAININGS,
    Meetings,
    load,
    meet,
    two_fold,
)

PAPER = (NONE, "purify", "threshold(0.15)", NEW)
"""The rows of the paper's Table 2."""
POSTS = (*PAPER, "purify(first=false)", "new(0.2,first=false)")
"""Two more leave a player's first action of a hand unchanged (footnote 6)."""
STRENGTH_SEEDS = 1_000_000
"""First seed of the part `strength`, so that opponents are not let in for their luck in Table 2."""


# Strength


def measure_strength(setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Play every opponent against the agent. An opponent that surely loses less than the margin is as strong."""
    players = [found_by(setup, player.part) for player in PLAYERS]
    rows = [meet(setup, kept, say, NONE, opponent, STRENGTH_SEEDS) for opponent in OPPONENTS]
    return {"players": players, "rows": rows, "margin": 1e6 if setup.small else 10.0}


def opponents_win(found: Found) -> dict[str, Interval]:
    """Return what each opponent wins from the agent, in mbb/hand."""
    return {name: -Meetings(found["rows"]).mean(NONE, [name]) for name in OPPONENTS}


def by_strength(found: Found) -> tuple[list[str], list[str]]:
    """Return the opponents that are shown to be at least as strong as the agent, and the others."""
    strong = {name: won.low > -found["margin"] for name, won in opponents_win(found).items()}
    return [name for name in strong if strong[name]], [name for name in strong if not strong[name]]


def strength_figures(found: Found) -> dict[str, float]:
    """Return what each opponent wins from the agent, and how many are at least as strong."""
    result = {"strength.opponents": float(len(by_strength(found)[0]))}
    for name, won in opponents_win(found).items():
        result |= won.figures(f"strength.{name}")
    return result


# Table 2


def measure_table(setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Play every post-processing against every opponent that is at least as strong as the agent."""
    strong, weak = by_strength(found_by(setup, "strength"))
    rows = [meet(setup, kept, say, post, name) for name in strong for post in POSTS]
    return {"rows": rows, "left out": weak}


def table_figures(found: Found) -> dict[str, float]:
    """Return winnings in mbb/hand by post-processing: the mean, the least, and leads with their intervals.

    `lead.mean.none` is New-0.2's lead over no post-processing; `over none.mean.purify` is purification's.
    """
    result, met = dict[str, float](), Meetings(found["rows"])
    for post in POSTS if found["rows"] else ():
        result |= {f"mean.{post}": met.mean(post).middle, f"least.{post}": met.least(post).middle}
        leads = [("lead", NEW, post)] if post != NEW else []
        leads += [("over none", post, NONE)] if post != NONE else []
        for name, one, other in leads:
            result |= met.mean_lead(one, other).figures(f"{name}.mean.{post}")
            result |= met.least_lead(one, other).figures(f"{name}.least.{post}")
    return result


# Chosen on some opponents, judged on others


def measure_chosen(setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Play the candidates that are not in Table 2 against its opponents."""
    rows = list(found_by(setup, "table-2")["rows"])
    for name in Meetings(rows).opponents:
        rows += [meet(setup, kept, say, post, name) for post in FAMILY]
    return {"rows": rows}


def chosen_figures(found: Found) -> dict[str, float]:
    """Return what choosing wins over none and New-0.2, and what folding more and other thresholds do."""
    result, met = dict[str, float](), Meetings(found["rows"])
    if met.opponents:
        result |= met.mean_lead(FOLD_ALONE, NONE).figures("chosen.fold alone over none")
        result |= met.mean_lead(NEW, LOWER_TAU).figures(f"chosen.{NEW} over {LOWER_TAU}")
        result |= {f"chosen.mean.{post}": met.mean(post).middle for post in met.posts}
    if both := two_fold(met):
        result |= both.over_none.figures(f"chosen.over {NONE}") | both.over_new.figures(f"chosen.over {NEW}")
    return result


# The price


def measure_price(setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Let every setting respond to every post-processing of Table 2 and to those that were chosen."""
    both, rows = two_fold(Meetings(found_by(setup, "chosen")["rows"])), []
    hands = 4 if setup.small else 12_000
    for post in dict.fromkeys((*POSTS, *(both.posts if both else ()))):
        for actions in STANDARD:
            setting = {"post": post, "actions": str(actions)}
            rows.append(kept.row(setting, _respond, setup, say, post, actions, hands))
    return {"hands": hands, "rows": rows}


def _respond(setup: CardSetup, say: Say, post: str, actions: ResponseActions, hands: int) -> dict[str, float]:
    """Return what one setting of local best response wins from the agent with a post-processing."""
    say(f"{post}: local best response, {actions}")
    won = LocalBestResponse(load(setup, AGENT, post), actions).run(hands, setup.threads)
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def prices(found: Found) -> dict[str, LargestResponse]:
    """Return the most that a local best response wins from each post-processing."""
    posts = dict.fromkeys(row["post"] for row in found["rows"])
    return {
        post: largest_response(
            [(row["actions"], row["mbb"], row["interval"]) for row in found["rows"] if row["post"] == post]
        )
        for post in posts
    }


def price_figures(found: Found) -> dict[str, float]:
    """Return what the largest response wins from each post-processing, with its interval."""
    result: dict[str, float] = {}
    for post, most in prices(found).items():
        result |= Interval(most.mbb, *most.mbb_range).figures(f"lbr.{post}")
    return result


# The page


def view(found: Findings) -> dict[str, Any]:
    """Return the opponents that count, the matches, the choice and the prices; dear ones surely cost more."""
    strength, most = found.get("strength"), prices(found["price"]) if "price" in found else {}
    met, candidates = (Meetings(found.get(name, {"rows": []})["rows"]) for name in ("table-2", "chosen"))
    return {
        "wins": opponents_win(strength) if strength else {},
        "weak": by_strength(strength)[1] if strength else [],
        "met": met,
        "candidates": candidates,
        "both": two_fold(candidates),
        "posts": POSTS,
        "paper": PAPER,
        "prices": most,
        "dear": [post for post in most if most[post].mbb_range[0] > most[NONE].mbb_range[1]],
        "settings": list(map(str, STANDARD)),
    }


def tables(found: Findings) -> dict[str, list[Found]]:
    """Return all measurements; those of Table 2 stand there alone, though `chosen` has them too."""
    rows = []
    for name in ("strength", "table-2", "chosen"):
        met = Meetings(found.get(name, {"rows": []})["rows"])
        for post in FAMILY if name == "chosen" else met.posts:
            for opponent in met.opponents:
                won = met.mean(post, [opponent])
                rows.append([name, post, opponent, won.middle, won.half])
    for row in found.get("price", {"rows": []})["rows"]:
        opponent = f"local best response, {row['actions']}"
        rows.append(["price", row["post"], opponent, row["mbb"], row["interval"]])
    header = ("part", "post", "opponent", "mbb", "interval")
    return {"post-processing.csv": [dict(zip(header, row, strict=True)) for row in rows]}


EXPERIMENT = Experiment(
    "post-processing",
    "Post-processing",
    CardSetup,
    (
        *TRAININGS,
        Part("strength", measure_strength, strength_figures, tuple(player.part for player in PLAYERS)),
        Part("table-2", measure_table, table_figures, ("strength",)),
        Part("chosen", measure_chosen, chosen_figures, ("table-2",)),
        Part("price", measure_price, price_figures, ("chosen",)),
    ),
    view,
    tables,
)
