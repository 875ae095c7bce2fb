"""Which opponents are at least as strong as the agent: each meets it head to head, neither post-processed."""

from __future__ import annotations

from solvent.foundation.units import span
from solvent_papers.confidence import Interval
from solvent_papers.kept import KeptRuns
from solvent_papers.page import markdown_table, threads_text
from solvent_papers.parts import Found, Part
from solvent_papers.steps import Say
from solvent_papers.tartanian7.post_processing.meetings import (
    NONE,
    STRENGTH_SEEDS,
    Meetings,
    meet,
    named,
    text,
)
from solvent_papers.tartanian7.post_processing.players import AGENT, OPPONENTS, Player, Setup, trained

NAME = "strength"


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Play every opponent against the agent."""
    players = [trained(setup, player) for player in (AGENT, *OPPONENTS)]
    rows = [meet(setup, kept, say, NONE, opponent, STRENGTH_SEEDS)._asdict() for opponent in OPPONENTS]
    return {"players": players, "rows": rows, "margin": setup.amount.margin}


def opponent_wins(found: Found, opponent: str) -> Interval:
    """What an opponent wins from the agent, in mbb/hand."""
    middle, low, high = Meetings(found["rows"]).won(NONE, opponent)
    return Interval(-middle, -high, -low)


def is_as_strong(found: Found, opponent: str) -> bool:
    """Whether an opponent is shown to be at least as strong as the agent: it surely loses less than the margin."""
    return bool(opponent_wins(found, opponent).low > -found["margin"])


def strong_opponents(found: Found) -> list[Player]:
    """The opponents that are at least as strong as the agent, in their order."""
    return [player for player in OPPONENTS if is_as_strong(found, player.name)]


def weak_opponents(found: Found) -> list[str]:
    """The names of the opponents that are not."""
    return [player.name for player in OPPONENTS if not is_as_strong(found, player.name)]


def figures(found: Found) -> dict[str, float]:
    """What each opponent wins from the agent, and how many are at least as strong."""
    result = {f"{NAME}.opponents": float(len(strong_opponents(found)))}
    for player in OPPONENTS:
        result |= named(f"{NAME}.{player.name}", opponent_wins(found, player.name))
    return result


def section(found: Found) -> str:
    """The part's section of the page: who plays, and who is as strong as the agent."""
    made = [
        [
            player["name"],
            player["what"],
            player["cards"],
            f"`{player['betting'].replace('|', '&#124;')}`",
            f"{player['decisions']:,}",
            f"{player['sampling']}, {player['rule']}",
            span(player["seconds"]),
            f"{player['iterations']:,}",
        ]
        for player in found["players"]
    ]
    header = ["name", "what it is", "cards", "betting", "decisions", "training", "for", "iterations"]
    met = Meetings(found["rows"])
    rows = [
        [
            name,
            text(opponent_wins(found, name)),
            verdict(found, name),
            f"{met.one(NONE, name).pairs:,} {'walked' if met.one(NONE, name).averaged else 'played'}",
        ]
        for name in met.opponents
    ]
    weak = weak_opponents(found)
    left_out = f"Left out of what follows: {', '.join(weak)}." if weak else "So none is left out."
    parts = [
        "## The agent and its opponents",
        f"All play 200 big blinds; each was trained on {threads_text(found['players'][0]['threads'])}.",
        markdown_table(header, made),
        "Head to head, neither side post-processed: what the opponent wins from the agent, in mbb/hand with 95 % "
        "intervals. An opponent is taken for at least as strong if the whole interval is above "
        f"{-found['margin']:g}. Its deals are not used again.",
        markdown_table(["opponent", "wins from the agent", "at least as strong", "pairs of deals"], rows),
        left_out,
    ]
    return "\n\n".join(part.rstrip() for part in parts)


def verdict(found: Found, opponent: str) -> str:
    """Whether an opponent is at least as strong as the agent, in words."""
    won = opponent_wins(found, opponent)
    if won.low > 0:
        return "yes: surely stronger"
    if is_as_strong(found, opponent):
        return f"yes: it surely loses less than {found['margin']:g}"
    return "no: it surely loses" if won.high < 0 else "no: it may lose more"


STRENGTH = Part(
    NAME,
    measure,
    section,
    figures,
    lambda found: [],
    made_of=tuple(player.part for player in (AGENT, *OPPONENTS)),
)
