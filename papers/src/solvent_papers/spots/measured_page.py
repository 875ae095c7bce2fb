"""The results page of `solvent bench spots`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from solvent.engines.defaults import HOLDEM_RULE
from solvent.foundation.units import span
from solvent_papers.page import Reading, markdown_table, threads_text, write_page
from solvent_papers.spots.bars import spot_bars
from solvent_papers.spots.measured import PARTS, SPEED, Measured
from solvent_papers.spots.measured_tables import NOTES, narrow_ratios, summaries
from solvent_papers.spots.named import NAMES, NamedSpot
from solvent_papers.spots.rule_choice import standings
from solvent_papers.spots.speed import DTYPES, SLOW_REPEATS

TITLE = "Spots"
CLEARLY_FEWER = 0.95
"""A rule that needs this part of the default's iterations or more is not called better."""
FAR_AHEAD = 0.6
"""A rule with less than this part of the default's exploitability on a spot is named."""


def write_results(found: Measured, page: Path, quick: bool = False) -> None:
    """Write the results page."""
    body = _about(found) + "## The spots\n\n" + _spots(found.spots)
    for table in summaries(found):
        body += f"\n## {table.title}\n\n{NOTES[table.title]}\n\n{markdown_table(table.header, table.rows)}"
    if found.peer is not None:
        body += f"\n## What is not comparable\n\n{_not_comparable(found.peer)}"
    write_page(page, TITLE, _command(found, quick), _reading(found), body, bars=spot_bars(found))


def _command(found: Measured, quick: bool) -> str:
    words = ["solvent bench spots"]
    if len(found.parts) < len(PARTS):
        words.append(f"--parts {','.join(found.parts)}")
    if len(found.spots) < len(NAMES):
        words.append(f"--spots {','.join(spot.name for spot in found.spots)}")
    if quick:
        words.append("--quick")
    if found.peer is not None:
        words.append(f"--peer COMMAND --peer-name '{found.peer}'")
    return " ".join([*words, f"--threads {found.threads}"])


# The head of the page


def _reading(found: Measured) -> Reading:
    facts = [_found_uniform, _found_speed, _found_ratios, _found_narrow, _found_rule]
    claim = "solve a heads-up spot while one waits"
    if found.peer is not None:
        claim = f"solve a heads-up spot quicker than {found.peer}, and in no more memory"
    return Reading(
        "Sorted sweeps over each player's own hands, with boards that differ only in the names of suits joined, "
        f"{claim}.",
        " ".join(filter(None, (fact(found) for fact in facts))),
        _so_what(found),
    )


def _so_what(found: Measured) -> str:
    """How long a user waits, by street."""
    target, streets = found.scale.targets[-1], {spot.name: spot.streets for spot in found.spots}
    said = []
    for count, name in ((1, "a river"), (2, "a turn"), (3, "a flop")):
        waits = [
            each.seconds
            for each in found.reached
            if each.target_percent == target
            and each.dtype == DTYPES[0]
            and each.seconds is not None
            and streets[each.spot] == count
        ]
        if waits:
            said.append(f"{name} in {span(median(waits))}")
    if not said:
        return "These are figures to compare other solvers with."
    return f"The middle one of our spots is solved to {target:g} % of the pot as follows: {_joined(said)}."


def _found_uniform(found: Measured) -> str:
    gaps = [
        f"{each.uniform_percent:.4f} % ({each.spot})" for each in found.worths if each.spot.endswith("-s")
    ]
    return f"Uniform play is exploitable for {_joined(gaps)} of the pot." if gaps else ""


def _found_speed(found: Measured) -> str:
    times = [each for each in found.timings if each.dtype == DTYPES[0] and each.threads == found.threads]
    if not times:
        return ""
    least, most = (pick(times, key=lambda each: each.seconds) for pick in (min, max))
    largest = max(times, key=lambda each: each.table_bytes)
    return (
        f"With {threads_text(found.threads)} an iteration takes {span(least.seconds)} ({least.spot}) to "
        f"{span(most.seconds)} ({most.spot}); on {largest.spot} moving the tables' bytes alone would take "
        f"{largest.share:.0%} of that."
    )


def _found_ratios(found: Measured) -> str:
    said = []
    for dtype in DTYPES:
        ratios = [each.peer_ratio for each in found.timings if each.dtype == dtype and each.peer_ratio]
        if ratios:
            said.append(f"{min(ratios):.2f} to {max(ratios):.2f} with {_tables(dtype)}")
    to_target = [each.peer_ratio for each in found.reached if each.peer_ratio is not None]
    if not said:
        return ""
    reached = f", and to a target {min(to_target):.2f} to {max(to_target):.2f}" if to_target else ""
    return f"Our seconds over those of {found.peer}: an iteration {_joined(said)}{reached}."


def _found_narrow(found: Measured) -> str:
    ratios = [ratio for ratio in narrow_ratios(found.reached) if ratio is not None]
    if not ratios:
        return ""
    return f"Tables of 16 bits take {min(ratios):.2f} to {max(ratios):.2f} times the iterations of float32."


def _found_rule(found: Measured) -> str:
    table = standings(found.runs)
    if not table:
        return ""
    best, target = table[0], f"{found.scale.targets[-1]:g} %"
    if best.rule != HOLDEM_RULE and best.iterations_ratio < CLEARLY_FEWER:
        return (
            f"{best.rule} needs {best.iterations_ratio:.2f} times the iterations of {HOLDEM_RULE} to {target} "
            "over all spots: it would be the better default."
        )
    others = [f"{each.rule} {each.iterations_ratio:.2f}" for each in table if each.rule != HOLDEM_RULE]
    return (
        f"No rule needs clearly fewer iterations to {target} than {HOLDEM_RULE}, the default (geometric means "
        f"over the spots, in parts of its iterations: {_joined(others)}){_exceptions(found)}."
    )


def _exceptions(found: Measured) -> str:
    """The spots on which another rule is far ahead of the default at the last checkpoint."""
    default = {run.spot: run.percent[-1] for run in found.runs if run.rule == HOLDEM_RULE}
    said = [
        f"{run.rule} has {run.percent[-1] / default[run.spot]:.2f} times its exploitability on {run.spot}"
        for run in found.runs
        if run.percent[-1] < FAR_AHEAD * default[run.spot]
    ]
    return f"; after {found.scale.checkpoints[-1]} iterations {_joined(said)}" if said else ""


def _about(found: Measured) -> str:
    scale = found.scale
    text = (
        "A spot is solved by `HoldemSolver` with alternating updates and, but for the comparison of rules, by "
        f"`{HOLDEM_RULE}`. Exploitability is half of what both players would gain by best responses, in percent "
        "of the starting pot; EVs are shares of the pot in chips, and with rake they sum to less than the pot."
    )
    if SPEED in found.parts:
        text += (
            f" Iterations are timed in {scale.repeats} batches of about {scale.batch_seconds:g} s (slow spots in "
            f"{SLOW_REPEATS}), in turn, after a warm-up; the median is shown. "
            "Kernels are compiled before. An iteration updates both players."
        )
    return text + "\n\n"


def _spots(spots: Sequence[NamedSpot]) -> str:
    rows = [
        [spot.name, spot.given["board"], f"{spot.pot:,} / {spot.given['stack']:,}", spot.about, _sizes(spot)]
        for spot in spots
    ]
    return markdown_table(["spot", "board", "pot / stack", "what it is", "sizes"], rows) + (
        "\nRanges stand in `solvent_papers.spots.named`.\n"
    )


def _sizes(spot: NamedSpot) -> str:
    if "bets" in spot.given:
        return f"bets {spot.given['bets']}; raises {spot.given['raises']}"
    return "by player and street"


def _not_comparable(peer: str) -> str:
    return (
        f"- The rules differ: {peer} runs its own. So an iteration is compared by time alone, and the way to a "
        "target by iterations and time.\n"
        "- Memory is counted differently: the peer's figure is its own account, ours is all that the process grew "
        "by, the form of the game and the allocator's rounding included. On small spots that is most of it.\n"
        "- The peer's time of an iteration is the median of single iterations of a new process; ours is the mean "
        "over a batch, by a solver that goes on from batch to batch.\n"
        "- The peer's build does not allocate its tables; ours reserves them without touching them.\n"
        "- Compiling is in none of the times: ours happens once for each environment.\n"
    )


def _tables(dtype: str) -> str:
    return "tables of 16 bits" if dtype == "int16" else f"{dtype} tables"


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
