"""The results page of the agents that users train: one table of all that was measured, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from solvent.evaluate.sentences import inside_bound, local_bound
from solvent.foundation.units import span
from solvent_papers.page import Reading, markdown_table, threads_text, write_page
from solvent_papers.parts import Found, PartResult, figures_and_bars, parts_text, records
from solvent_papers.trained_agents.measured_agents import AGENTS, PARTS


def write_agents_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the agents that have been measured."""
    figures, bars = figures_and_bars(results)
    sections = [
        parts_text(PARTS, results),
        table([result.found for result in measurements(results)]),
        *(result.part.section(result.found) for result in results),
    ]
    body = "\n\n".join(part.rstrip() for part in sections if part)
    write_page(page, "Agents", command, reading(results), body, figures, bars, records(results))


def measurements(results: Sequence[PartResult]) -> list[PartResult]:
    """The results of the parts that measure an agent."""
    names = [agent.name for agent in AGENTS]
    return [result for result in results if result.part.name in names]


def table(agents: Sequence[Found]) -> str:
    """A column for each agent."""
    if not agents:
        return ""
    opponents = [row["opponent"] for row in agents[0]["styles"]]
    settings = [row["actions"] for row in agents[0]["lbr"]]
    rows: list[tuple[str, Callable[[Found], str]]] = [
        ("cards", lambda found: found["cards"]),
        ("betting", lambda found: f"`{found['betting'].replace('|', '&#124;')}`"),
        ("training", lambda found: f"{span(found['seconds'])} on {threads_text(found['threads'])}"),
        ("boards", lambda found: f"{found['iterations']:,}"),
        *((f"wins against {name}", _won_from(name)) for name in opponents),
        *((f"loses to local best response, {actions}", _lost_to(actions)) for actions in settings),
        ("loses at least, to the largest of these", _largest),
        ("loses at least, inside its abstraction", _inside),
        ("checks of behaviour passed", _checks),
    ]
    return (
        "## What was measured\n\n"
        "In mbb/hand with 95 % intervals; the agents and all their opponents play as they were trained, without "
        "post-processing.\n\n"
        + markdown_table(
            ["", *(found["name"] for found in agents)],
            [[name, *(value(found) for found in agents)] for name, value in rows],
        )
    )


def _won_from(opponent: str) -> Callable[[Found], str]:
    def won(found: Found) -> str:
        (row,) = (row for row in found["styles"] if row["opponent"] == opponent)
        return _with_interval(row)

    return won


def _lost_to(actions: str) -> Callable[[Found], str]:
    def lost(found: Found) -> str:
        (row,) = (row for row in found["lbr"] if row["actions"] == actions)
        return _with_interval(row)

    return lost


def _with_interval(row: dict[str, Any]) -> str:
    return f"{row['mbb_per_hand']:+,.0f} ± {row['mbb_per_hand_95']:,.0f}"


def _largest(found: Found) -> str:
    bound = local_bound(found)
    assert bound is not None
    return f"{bound.mbb:+,.0f} ({bound.low:+,.0f} to {bound.high:+,.0f}), {found['lbr_maximum']['actions']}"


def _inside(found: Found) -> str:
    inside = found["inside"]
    improving = "" if inside["settled"] else ", still improving"
    learned = f"learned on {inside['boards']:,} boards{improving}"
    return f"{inside['mbb_per_hand']:+,.0f} ± {inside['mbb_per_hand_95']:,.0f} ({learned})"


def _checks(found: Found) -> str:
    checks = found["behaviour"]["checks"]
    return f"{sum(check['passed'] for check in checks)} of {len(checks)}"


def reading(results: Sequence[PartResult]) -> Reading:
    """The three lines at the head of the page."""
    said = []
    for result in measurements(results):
        inside, local = inside_bound(result.found), local_bound(result.found)
        assert inside is not None
        assert local is not None
        said.append(
            f"{result.part.name} loses at least {inside.mbb:,.0f} mbb/hand inside its abstraction and "
            f"{local.mbb:,.0f} to local best response with exact cards and other bets"
        )
    return Reading(
        "Nothing by a paper: these are the agents that users of `solvent train` get.",
        f"{'; '.join(said)}." if said else "Nothing has been measured.",
        "Train until the response inside the abstraction wins little; what local best response wins beyond that is "
        "what buckets and bet sizes cost.",
    )
