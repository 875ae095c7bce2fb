"""The results page of the sampling options: the paper's claims, tables by game, a picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from solvent.engines.rewards import reward
from solvent.foundation.extras import pyplot
from solvent.strategy.agents.prior import STEPS, WITHIN, prior_strategy
from solvent_papers.confidence import (
    LEVEL,
    Interval,
    deviation_interval,
    mean_interval,
)
from solvent_papers.laptop_mccfr.figures import compared, fair_ratio, option_figures
from solvent_papers.laptop_mccfr.sampling_options import (
    ENSEMBLES,
    FLOOR,
    LONGER,
    MODELS,
    NAMES,
    PLAIN,
    REWARDS,
    ROBIN,
    STACK,
    UNIT,
    Result,
)
from solvent_papers.page import Reading, markdown_table, plain_ticks, write_csv, write_page

SUMMED, REACH = ENSEMBLES
LESS, MORE, SAME = "less exploitable", "more exploitable", "no significant difference"
ALIKE = "changes nothing here"


def write_sampling_options(result: Result, page: Path, command: str) -> None:
    """The results page with its CSV and picture beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.points, page.with_suffix(".csv"))
    plot_ratios(result, page.with_suffix(".png"))
    body = "\n\n".join(part.rstrip() for part in sections(result, page.stem))
    title = "Options of Monte Carlo CFR: what each does to exploitability"
    write_page(page, title, command, _three_lines(result), body, option_figures(result))


def _three_lines(result: Result) -> Reading:
    less, more, _, never = _lists(result)
    return Reading(
        "Lin (2024): exploration decay, biased rewards, ensembles and initial weights make Monte Carlo CFR better.",
        f"After the most iterations, less exploitable on every game: {less}. More exploitable on every game: "
        f"{more}.",
        f"Measure before switching an option on. Claimed to help, and not helping on any game here: {never}.",
    )


def sections(result: Result, stem: str) -> list[str]:
    """The page, part by part."""
    comparisons = sum(len(checks) * (len(NAMES) - 1) for checks in result.scale.games.values())
    parts = [
        "External sampling, rule lcfr, float64, one thread, and one thing changed at a time: the improvements of "
        'Lin, "4 Improvements to Monte Carlo Counterfactual Regret Minimization for Texas Heads Up No Limit '
        f'Poker" (2024), uniform weights and a regret floor. {result.scale.seeds} seeds; exploitability is '
        "NashConv / 2 of the average strategy in true chips, by exact best responses. Intervals are of 95 % "
        "(Student's t); a ratio is the geometric mean over seeds of the variant's exploitability by the plain "
        f"solver's with the same seed after the same iterations, below 1 is better. Of {comparisons} comparisons, "
        f"{comparisons * (1 - LEVEL):.0f} would show a difference by chance alone if there were none. "
        f"Every run: [{stem}.csv]({stem}.csv). {result.seconds / 60:.1f} minutes in all.",
        _settings(result),
        "## The paper's claims",
        markdown_table(
            ["claim", "exploitability relative to the plain solver, after the most iterations", "verdict"],
            claims(result),
        ),
        _reading(result),
        f"![Exploitability relative to the plain solver]({stem}.png)",
        "Ratios with their intervals after the fewest (hollow) and the most iterations (full).",
    ]
    for game in result.scale.games:
        histories, infosets = result.sizes[game]
        parts += [
            f"## `{game}`",
            f"{histories:,} histories, {infosets:,} infosets. Exploitability in chips, mean and half of its "
            "interval:",
            _exploitability_table(result, game),
            "Relative to the plain solver:",
            _ratio_table(result, game),
        ]
    parts += [
        "## Ensembles against one model that runs as long",
        _ensemble_table(result),
        f"An ensemble of {MODELS} models takes {MODELS} times the work. Weighted by reach it wins what its models "
        "win on average, so that it is never more exploitable than they are on average; one model that runs as "
        "long as all of them together is the fair comparison.",
        "## Rewards against each other",
        "Figure 5 of the paper, exactly: what the strategy on the left, after the most iterations, wins from the "
        f"one above, in big blinds ({UNIT:g} chips) a game, both seats alike, mean and half of its interval.",
        *(text for game in result.scale.games for text in (f"`{game}`:", _robin_table(result, game))),
        _robin_text(result),
        "## Work",
        _work_table(result),
        "Histories that an iteration touches, relative to the plain solver; means over seeds, "
        "after the most iterations.",
    ]
    return parts


def _priors(folds: bool) -> list[list[float]]:
    """The prior of the worst and of the best hands with one raise."""
    return [prior_strategy(rate, folds, 1).round(6).tolist() for rate in (WITHIN[0], WITHIN[-1])]


def _settings(result: Result) -> str:
    losses = ", ".join(f"{loss / UNIT:g} on `{game}`" for game, loss in result.largest_loss.items())
    first, second = (" / ".join(f"{part:g}" for part in row) for row in _priors(folds=True))
    checks = [" / ".join(f"{part:g}" for part in row) for row in _priors(folds=False)]
    bends = next(loss for loss in range(1, 1000) if reward("y4", -loss) < -loss)
    shared = (
        "two processors."
        if result.processors > 1
        else "one processor, on which they take turns and seldom meet."
    )
    return (
        f"Rewards y2, y3 and y4 are in big blinds of {UNIT:g} chips. The largest losses are {losses}, and y4 "
        f"differs from true rewards only for losses from {bends} on; so y3 and y4 run also in units in which the "
        f"largest loss is {STACK}, the paper's stacks. Exploration decay: at least 1 % an action, falling to 0 by "
        f"iteration 40,000. Regret floor: {FLOOR:g} chips. Initial weights: a prior as regrets of the largest "
        f"payoff in sum, by a hand's equity over all hands and boards; fold / call / raise {first} below "
        f"{STEPS[0]:.0%}, {second} from {STEPS[-1]:.0%}, check / bet {checks[0]} and "
        f"{checks[1]}; the paper gives no figures but the first step. Ensembles: {MODELS} "
        f"models of so many iterations each. Two threads share one table without locks, and here had {shared}"
    )


# The paper's claims


def verdict(ratio: Interval, words: tuple[str, str] = (LESS, MORE)) -> str:
    """What an interval of a ratio says."""
    if ratio.low == ratio.high == 1:
        return ALIKE
    return words[0] if ratio.high < 1 else words[1] if ratio.low > 1 else SAME


def claims(result: Result) -> list[list[str]]:
    """(claim, measured, verdict)."""
    return [
        _claim(result, "threads: much faster; here, what sharing a table without locks costs", "two threads"),
        _claim(result, "exploration decay: less variance early in training", "exploration decay", True),
        _claim(result, "the same by mixing in uniform play", "exploration decay, mixed", True),
        *(_claim(result, f"biased rewards are better: {name}", name) for name in NAMES if "reward" in name),
        _claim(result, "ensembles: 4 models added up play better and vary less", SUMMED, True),
        _claim(result, "the same weighted by reach (ours)", REACH, True),
        _fair(result, SUMMED),
        _fair(result, REACH),
        _claim(result, "initial weights: less training time", "initial weights"),
        _claim(result, "(ours) uniform weights instead of linear ones", "uniform weights"),
        _claim(result, "(ours) a regret floor", "regret floor"),
    ]


def _claim(result: Result, claim: str, variant: str, varies: bool = False) -> list[str]:
    """Ratios at the end and at the beginning; with `varies`, also of the deviation over seeds."""
    measured = []
    found: dict[str, list[str]] = {"": [], "after the fewest iterations ": [], "deviation ": []}
    for game, checks in result.scale.games.items():
        last, first = (compared(result, game, variant, check) for check in (checks[-1], checks[0]))
        text = f"`{_short(game)}` {ratio_text(last)}, after {checks[0]:,} {ratio_text(first)}"
        found[""].append(verdict(last))
        found["after the fewest iterations "].append(verdict(first))
        if varies:
            spread = deviation_interval(*(result.values(game, name, checks[0]) for name in (variant, PLAIN)))
            found["deviation "].append(verdict(spread, ("smaller", "larger")))
            text += f", deviation over seeds there {ratio_text(spread)}"
        measured.append(text)
    if found[""] == found["after the fewest iterations "]:
        del found["after the fewest iterations "]
    judged = [when + _together(verdicts) for when, verdicts in found.items() if verdicts]
    return [claim, "<br>".join(measured), "; ".join(judged)]


def _fair(result: Result, variant: str) -> list[str]:
    measured, verdicts = [], []
    for game, checks in result.scale.games.items():
        ratio = fair_ratio(result, game, variant, checks[-1])
        measured.append(f"`{_short(game)}` {ratio_text(ratio)}")
        verdicts.append(verdict(ratio))
    claim = f"{variant}, against one model of {MODELS} times the iterations (the fair comparison)"
    return [claim, "<br>".join(measured), _together(verdicts)]


def _together(verdicts: list[str]) -> str:
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return "; ".join(
        f"{which} on {verdicts.count(which)} of {len(verdicts)}" for which in dict.fromkeys(verdicts)
    )


def _lists(result: Result) -> tuple[str, str, str, str]:
    """Options that are always better, always worse, never different, and those of the paper's that never help."""
    at_end = {
        name: [
            verdict(compared(result, game, name, checks[-1])) for game, checks in result.scale.games.items()
        ]
        for name in NAMES[1:]
    }
    fair = {
        f"{name}, at equal work": [
            verdict(fair_ratio(result, game, name, checks[-1])) for game, checks in result.scale.games.items()
        ]
        for name in ENSEMBLES
    }

    def always(which: str) -> str:
        return _listed(name for name, found in (at_end | fair).items() if set(found) == {which})

    ours = ("two threads", "uniform weights", "regret floor", *ENSEMBLES, f"{REACH}, at equal work")
    claimed = {name: found for name, found in (at_end | fair).items() if name not in ours}
    never = _listed(name for name, found in claimed.items() if LESS not in found)
    return always(LESS), always(MORE), always(SAME), never


def _reading(result: Result) -> str:
    """What holds on all games, what on none."""
    less, more, same, never = _lists(result)
    return (
        f"After the most iterations, less exploitable than the plain solver on every game: {less}. More "
        f"exploitable on every game: {more}. No significant difference on any: {same}. The others "
        "depend on the game. Of what the paper says helps, this does not come out in exploitability on any of "
        f"these games: {never}."
    )


# Tables


def ratio_text(ratio: Interval) -> str:
    """A ratio with its interval."""
    digits = 3 if ratio.high < 2 else 2 if ratio.high < 10 else 1
    return f"{ratio.middle:.{digits}f} [{ratio.low:.{digits}f}, {ratio.high:.{digits}f}]"


def mean_text(mean: Interval) -> str:
    """A mean and half of its interval, to three digits of the mean."""
    digits = max(0, 2 - int(np.floor(np.log10(max(abs(mean.middle), 1e-9)))))
    return f"{mean.middle:.{digits}f} ± {mean.half:.{digits}f}"


def _short(game: str) -> str:
    return game.partition("(")[0]


def _exploitability_table(result: Result, game: str) -> str:
    checks = result.scale.games[game]
    rows = [
        [name, *(mean_text(mean_interval(result.values(game, name, check))) for check in checks)]
        for name in NAMES
    ]
    longer = [mean_text(mean_interval(result.values(game, LONGER, MODELS * check))) for check in checks]
    return markdown_table(["variant", *(f"{check:,}" for check in checks)], [*rows, [LONGER, *longer]])


def _ratio_table(result: Result, game: str) -> str:
    checks = result.scale.games[game]
    rows = []
    for name in NAMES[1:]:
        rows.append([name, *(_marked(compared(result, game, name, check)) for check in checks)])
    return markdown_table(["variant", *(f"{check:,}" for check in checks)], rows)


def _marked(ratio: Interval) -> str:
    """In bold where the interval leaves 1 out."""
    return ratio_text(ratio) if verdict(ratio) in (SAME, ALIKE) else f"**{ratio_text(ratio)}**"


def _ensemble_table(result: Result) -> str:
    rows = []
    for game, checks in result.scale.games.items():
        for check in checks:
            ratios = [fair_ratio(result, game, name, check) for name in ENSEMBLES]
            rows.append([f"`{game}`", f"{MODELS} x {check:,}", *map(_marked, ratios)])
    return markdown_table(["game", "iterations", *ENSEMBLES], rows)


def _won(result: Result, game: str, row: str, column: str) -> Interval:
    return mean_interval(
        [each.won for each in result.meetings if (each.game, each.row, each.column) == (game, row, column)]
    )


def _robin_table(result: Result, game: str) -> str:
    rows = []
    for row in ROBIN:
        won = [None if row == column else _won(result, game, row, column) for column in ROBIN]
        worst = min(each.middle for each in won if each is not None)
        rows.append([row, *("-" if each is None else _won_text(each) for each in won), f"{worst:+.4f}"])
    return markdown_table(["", *ROBIN, "worst"], rows)


def _won_text(won: Interval) -> str:
    return f"{won.middle:+.4f} ± {won.half:.4f}"


def _robin_text(result: Result) -> str:
    """Whether biased rewards beat true ones at the table, and whether that says anything of exploitability."""
    wins, losses = [], []
    for game in result.scale.games:
        for name in REWARDS:
            won = _won(result, game, name, "y1")
            if won.low > 0:
                wins.append(f"{name} on `{_short(game)}`")
            elif won.high < 0:
                losses.append(f"{name} on `{_short(game)}`")
    return (
        "In the paper all of y2, y3 and y4 win from y1, y2 the most (0.30 big blinds a game). Here "
        f"{_listed(wins)} win from it and {_listed(losses)} lose to it; the other intervals have 0 in them."
    )


def _listed(names: Iterable[str]) -> str:
    return "; ".join(names) or "none"


def _work_table(result: Result) -> str:
    rows = []
    for name in NAMES:
        cells = []
        for game, checks in result.scale.games.items():
            values, plain = (
                mean_interval(result.values(game, each, checks[-1], "histories")).middle
                for each in (name, PLAIN)
            )
            cells.append(f"{values:.1f}" if name == PLAIN else f"{values / plain:.2f}")
        rows.append([name if name != PLAIN else "plain, histories", *cells])
    return markdown_table(["variant", *(f"`{game}`" for game in result.scale.games)], rows)


# The picture


def plot_ratios(result: Result, path: Path) -> None:
    """Ratios to the plain solver with their intervals: a panel for each game."""
    plt = pyplot()
    games = list(result.scale.games.items())
    figure, axes = plt.subplots(
        1, len(games), figsize=(4.4 * len(games) + 1.5, 5.2), sharey=True, squeeze=False
    )
    names = NAMES[1:]
    for axis, (game, checks) in zip(axes[0], games, strict=True):
        for check, shift, fill in ((checks[0], 0.16, "none"), (checks[-1], -0.16, "full")):
            for place, name in enumerate(names):
                ratio = compared(result, game, name, check)
                colour = {LESS: "tab:green", MORE: "tab:red"}.get(verdict(ratio), "tab:gray")
                axis.errorbar(
                    ratio.middle, place + shift, xerr=[[ratio.middle - ratio.low], [ratio.high - ratio.middle]],
                    fmt="o", fillstyle=fill, color=colour, markersize=4, linewidth=1,
                )  # fmt: skip
        axis.axvline(1, color="black", linewidth=0.7)
        axis.set_xscale("log")
        plain_ticks(axis.xaxis, (0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 5, 10, 20, 40))
        axis.set_title(f"{game}\n{checks[0]:,} (hollow) and {checks[-1]:,} iterations", fontsize=8)
        axis.set_xlabel("exploitability relative to the plain solver")
        axis.grid(axis="x", which="both", alpha=0.3)
    axes[0][0].set_yticks(range(len(names)), names, fontsize=8)
    axes[0][0].invert_yaxis()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
