"""The page of Laptop MCCFR: Figures 1, 5, 7, 8 and the speed-up of threads, beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvent.experiments.laptop_mccfr.bots import BOTS, PAPER_REWARDS, STYLES, LaptopMccfr, Meeting, mean_of
from solvent.experiments.laptop_mccfr.figures import bot_figures
from solvent.experiments.page import Reading, Summary, markdown_table, write_csv, write_page
from solvent.foundation.extras import pyplot
from solvent.foundation.units import size
from solvent.solvers.rewards import REWARDS

LARGE = 1000
"""mbb/hand above which a meeting is drawn in a panel of its own scale."""


def write_results(found: LaptopMccfr, page: Path, command: str) -> None:
    """Write the page, its picture and the meetings as CSV."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(found.meetings, page.with_suffix(".csv"))
    plot_meetings(found.meetings, page.with_suffix(".png"))
    body = "\n".join([_setting(found), _styles(found, page), _rewards(found), _threads(found)])
    figures = bot_figures(found.meetings, found.speed.ways)
    write_page(page, "Laptop MCCFR", command, _three_lines(found), body, figures)


def _three_lines(found: LaptopMccfr) -> Reading:
    agree, against = _rewards_agree(found)
    won, lost = _styles_won_and_lost(found.meetings)
    return Reading(
        "Lin (2024): the bot beats changed versions of itself, and biased rewards and ensembles make it better.",
        f"The ensemble surely beats {won} and surely loses to {lost} of {len(STYLES)} changed versions of "
        "itself. Of "
        f"six meetings of biased rewards {agree} surely come out as in the paper and {against} surely the other "
        "way "
        "round.",
        "Train on true rewards. A bot that loses x to a version of itself is exploitable by at least x, and "
        "winning "
        "against such versions says little about exploitability.",
    )


def _styles_won_and_lost(meetings: Sequence[Meeting]) -> tuple[int, int]:
    """How many changed versions of itself the ensemble surely beats, and to how many it surely loses."""
    met = [m for m in meetings if m.figure == "7"]
    return sum(m.mbb > m.interval for m in met), sum(m.mbb < -m.interval for m in met)


def _setting(found: LaptopMccfr) -> str:
    scale = found.scale
    many = ", ".join(f"{name} {iterations / 1e6:.1f} M" for name, iterations in found.iterations.items())
    return (
        f"Cards {found.cards}; 100 big blinds; before the flop raises to 2, 4, 8, 16 BB or all-in, after it 50 %, "
        f"100 % of the pot or all-in, two bets or raises a street. Each bot had {scale.seconds:.0f} s on two "
        f"threads, with initial weights and exploration decay ({many} iterations). Winnings are in mbb/hand with "
        f"95 % intervals over pairs of hands with the same cards, averaged over what bots may draw "
        f"({scale.pairs:,} pairs each).\n"
    )


def _mbb(mbb: float, interval: float) -> str:
    return f"{mbb:,.0f} ± {interval:,.0f}"


def _styles(found: LaptopMccfr, page: Path) -> str:
    rows = []
    for style in STYLES:
        each = [m for m in found.of("8") if m.opponent.endswith(f":{style}")]
        ensemble = next(m for m in found.of("7") if m.opponent.endswith(f":{style}"))
        paper = "-" if ensemble.paper_mbb is None else f"{ensemble.paper_mbb:,.0f}"
        rows.append(
            [
                style,
                *(_mbb(m.mbb, m.interval) for m in each),
                _mbb(*mean_of(each)),
                _mbb(ensemble.mbb, ensemble.interval),
                paper,
            ]
        )
    header = [
        "opponent",
        *(f"bot {k + 1}" for k in range(BOTS)),
        "mean (Figure 1)",
        "ensemble (Figure 7)",
        "paper",
    ]
    lost = sorted({m.opponent.rpartition(":")[2] for m in found.of("8") if m.mbb + m.interval < 0})
    least = min(m.mbb - m.interval for m in found.of("7"))
    verdict = (
        "No bot loses surely to a changed version of itself"
        if not lost
        else f"Some bot surely loses to its {', '.join(lost)} version"
    )
    return (
        f"## Bots against changed versions of themselves (Figures 1, 7, 8)\n\n{markdown_table(header, rows)}\n"
        f"![What bots win from changed versions of themselves]({page.with_suffix('.png').name})\n\n"
        f"{verdict}; the ensemble's least lower bound is {least:,.0f} mbb/hand. The paper's factors are unknown, "
        "so its numbers are beside ours and not the same experiment. A near-equilibrium bot wins little from a "
        "version that only re-weighs actions it mixes itself, as those are equally good against it: the better "
        "the bot, the smaller these wins, so they do not measure exploitability.\n"
    )


def _between(found: LaptopMccfr, first: str, second: str) -> tuple[float, float] | None:
    """What bots of the first reward win from those of the second, and the interval, in mbb/hand."""
    for a, b, sign in ((first, second, 1.0), (second, first, -1.0)):
        seen = [m for m in found.of("5") if _reward(m.bot) == a and _reward(m.opponent) == b]
        if seen:
            mbb, interval = mean_of(seen)
            return sign * mbb, interval
    return None


def _rewards_agree(found: LaptopMccfr) -> tuple[int, int]:
    """How many meetings of rewards surely come out as in the paper, and how many surely the other way round."""
    sure = [
        (mine[0] > 0) == (paper > 0)
        for (first, second), paper in PAPER_REWARDS.items()
        if (mine := _between(found, first, second)) and abs(mine[0]) > mine[1]
    ]
    return sure.count(True), sure.count(False)


def _rewards(found: LaptopMccfr) -> str:
    rows = []
    for first in REWARDS:
        met = {second: _between(found, first, second) for second in REWARDS}
        worst = min(value[0] for value in met.values() if value is not None)
        rows.append([first, *("-" if v is None else _mbb(*v) for v in met.values()), f"{worst:,.0f}"])
    agree, against = _rewards_agree(found)
    paper_rows = [
        [f"{first} against {second}", f"{paper:,.0f}"] for (first, second), paper in PAPER_REWARDS.items()
    ]
    return (
        f"## Biased rewards (Figure 5)\n\nWhat the row wins from the column, {found.scale.reward_seeds} bots of "
        f"each (intervals over deals, not over trainings):\n\n{markdown_table(['', *REWARDS, 'worst'], rows)}\nThe "
        f"paper's:\n\n{markdown_table(['', 'mbb/hand'], paper_rows)}\nOf the six meetings {agree} come out surely "
        f"as in the paper and {against} surely the other way round.\n"
    )


def _reward(bot: str) -> str:
    return bot.partition("-")[0]


def _threads(found: LaptopMccfr) -> str:
    names = {"none": "none", "rows": "one a row", "inside": "one a row, threads inside a traversal"}
    rows = [
        [way.threads, names[way.locks], way.pages, f"{way.rows_per_second / 1e6:.2f}", f"{way.speed_up:.3f}"]
        for way in found.speed.ways
    ]
    return (
        f"## Threads\n\nRows a second on this table of {size(found.speed.table_bytes)}, in turns, median of "
        f"{found.speed.repeats}:\n\n"
        f"{markdown_table(['threads', 'locks', 'pages', 'million rows/s', 'against one thread'], rows)}\n"
        "The paper went from 30 s to 0.5 s an iteration by threads inside the traversal; compiled, an iteration "
        "takes microseconds, and threads run iterations side by side.\n"
    )


def plot_meetings(meetings: Sequence[Meeting], path: Path) -> None:
    """What each bot and the ensemble win from each changed version of themselves: bars with 95 % intervals."""
    plt = pyplot()
    bots = list(dict.fromkeys(m.bot for m in meetings if m.figure == "8"))
    groups = [
        (f"bot {k + 1}", {_style(m): m for m in meetings if (m.figure, m.bot) == ("8", bot)})
        for k, bot in enumerate(bots)
    ]
    groups.append(("ensemble", {_style(m): m for m in meetings if m.figure == "7"}))
    large = [style for style in STYLES if max(abs(met[style].mbb) for _, met in groups) > LARGE]
    panels = [[style for style in STYLES if style not in large], large]
    figure, axes = plt.subplots(
        1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=[max(1, len(part)) for part in panels]
    )
    width = 0.8 / len(groups)
    for ax, styles in zip(axes, panels, strict=True):
        for k, (name, met) in enumerate(groups):
            shift = (k - (len(groups) - 1) / 2) * width
            ax.bar(
                [place + shift for place in range(len(styles))],
                [met[style].mbb for style in styles],
                width,
                yerr=[met[style].interval for style in styles],
                label=name,
                color="black" if name == "ensemble" else f"C{k}",
                error_kw={"linewidth": 0.8, "ecolor": "0.5"},
            )
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(range(len(styles)), styles, fontsize=8)
        ax.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("mbb/hand won from the changed version")
    axes[0].legend(fontsize=8)
    won, lost = _styles_won_and_lost(meetings)
    figure.suptitle(f"The ensemble beats {won} changed versions of itself and loses to {lost}", fontsize=11)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _style(meeting: Meeting) -> str:
    return meeting.opponent.rpartition(":")[2]


def summary(found: LaptopMccfr) -> Summary:
    """The table that the command prints: Figure 7."""
    rows = []
    for meeting in found.of("7"):
        paper = "-" if meeting.paper_mbb is None else f"{meeting.paper_mbb:,.0f}"
        rows.append([meeting.opponent.rpartition(":")[2], _mbb(meeting.mbb, meeting.interval), paper])
    return Summary("", ["opponent", "the ensemble wins, mbb/hand", "paper"], rows, found.meetings)
