"""The parts of `solvent reproduce laptop-mccfr`: trainings, and what is measured with what they trained."""

from __future__ import annotations

from solvent.engines.rewards import REWARDS
from solvent.foundation.units import size
from solvent_papers.kept import KeptRuns
from solvent_papers.laptop_mccfr import bucket_comparison, prior_comparison, reward_figure, style_figures
from solvent_papers.laptop_mccfr.bots import Setup, reward_bot, training_part
from solvent_papers.laptop_mccfr.training_speed import Way, measure, thread_figures
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part
from solvent_papers.steps import Say

THREADS = "threads"
LOCKS = {"none": "none", "rows": "one a row", "inside": "one a row, threads inside a traversal"}


def measure_threads(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Rows a second on one thread and on several, without locks, with, and inside a traversal."""
    say("rows a second in every way")
    return measure(
        setup.folder_of("tiny", say), setup.betting, max(2, setup.threads), setup.amount.speed_repeats
    ).as_dict()


def _ways(found: Found) -> list[Way]:
    return [Way(**{name: way[name] for name in Way.__dataclass_fields__}) for way in found["ways"]]


def threads_section(found: Found) -> str:
    """What threads bring on this table."""
    rows = [
        [way.threads, LOCKS[way.locks], way.pages, f"{way.rows_per_second / 1e6:.2f}", f"{way.speed_up:.3f}"]
        for way in _ways(found)
    ]
    header = ["threads", "locks", "pages", "million rows/s", "against one thread"]
    return (
        f"## Threads\n\nRows a second on this table of {size(found['table_bytes'])}, in turns, median of "
        f"{found['repeats']}:\n\n{markdown_table(header, rows)}\nThe paper went from 30 s to 0.5 s an iteration "
        "by threads inside the traversal; compiled, an iteration takes microseconds, and threads run iterations "
        "side by side.\n"
    )


PARTS: tuple[Part[Setup], ...] = (
    *(
        training_part(f"train-{reward}", reward_bot(reward), "bots" if reward == "y1" else "seeds")
        for reward in REWARDS
    ),
    *style_figures.PARTS,
    reward_figure.PART,
    *bucket_comparison.PARTS,
    *prior_comparison.PARTS,
    Part(
        THREADS,
        measure_threads,
        threads_section,
        lambda found: thread_figures(_ways(found)),
        lambda found: [],
    ),
)
"""In the order in which they are run and stand on the page. Parts that are no trainings need their trainings."""
