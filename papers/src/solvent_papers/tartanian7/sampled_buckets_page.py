"""The results page of the experiment on buckets and real cards: claims, a table, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from solvent.foundation.extras import pyplot
from solvent_papers.confidence import Interval, mean_interval
from solvent_papers.page import Reading, markdown_table, plain_ticks, write_csv, write_page
from solvent_papers.tartanian7.figures import ratio_of, sampled_bucket_figures
from solvent_papers.tartanian7.sampled_buckets import (
    BIG_BLIND,
    BINS,
    FREE,
    FULL_WIDTH,
    HIERARCHICAL,
    LOSSLESS,
    METHODS,
    MIXED,
    PERCENTILES,
    RESTARTS,
    SAMPLED,
    STREETS,
    Result,
)

COMPARED = (
    (FREE, PERCENTILES, "k-medians by EMD play better than percentiles of mean equity"),
    (FREE, MIXED, "the same with the turn's buckets alike, so that flop buckets alone differ"),
    (HIERARCHICAL, FREE, "a hierarchy of public clusters plays better than as many free buckets"),
)
COLOURS = dict(
    zip((*METHODS, LOSSLESS), ("tab:blue", "tab:orange", "tab:green", "tab:olive", "black"), strict=True)
)


def write_sampled_buckets(result: Result, page: Path, command: str) -> None:
    """The results page with its CSV and picture beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.rows, page.with_suffix(".csv"))
    plot(result, page.with_suffix(".png"))
    body = "\n\n".join(part.rstrip() for part in sections(result, page.stem))
    title = "Buckets and real cards: sampled strategies on abstractions"
    write_page(page, title, command, _three_lines(result), body, sampled_bucket_figures(result))


def _three_lines(result: Result) -> Reading:
    free, _, hierarchical = (line[-1] for line in claims(result))
    leader = _least(result, result.scale.iterations[-1])
    return Reading(
        "Buckets by EMD play better than percentiles of mean equity, and a hierarchy of public clusters better "
        "than as "
        "many free buckets.",
        f"EMD against percentiles: {free}. Hierarchy against free buckets: {hierarchical}. After the most "
        "iterations "
        f"the least exploitable is {leader}.",
        "A better fit is no promise of better play, nor are more iterations on buckets: judge an abstraction by "
        "best "
        "responses that see real cards.",
    )


def sections(result: Result, stem: str) -> list[str]:
    """The page, part by part."""
    scale = result.scale
    states = " and ".join(
        f"{count:,} {street} hands ({classes:,} up to suits)"
        for street, (count, classes) in zip(STREETS, result.states, strict=True)
    )
    parts = " or ".join(str(size // scale.clusters) for size in scale.sizes)
    return [
        f"`{scale.game}`: hold'em to the turn, {states}. Before the flop hands are kept apart up to suits; flop "
        "and turn hands go into buckets, as many on each street. External-sampling Monte Carlo CFR (rule lcfr, "
        "float32) on the buckets; exploitability of its average strategy is NashConv / 2, by exact best responses "
        f"that see real cards, in mbb/hand (thousandths of the big blind, {BIG_BLIND} chips). {scale.seeds} "
        "clusterings, each with its own deals; mean and half of a 95 % interval (Student's t). Playing all actions "
        f"alike has {1000 * result.uniform / BIG_BLIND:,.0f} mbb/hand. Numbers: [{stem}.csv]({stem}.csv). "
        f"{result.seconds / 60:.1f} minutes in all.",
        f"*{FREE}*: k-medians of histograms of equity ({BINS} bins) over the turns to come, on the turn of equity "
        f"itself. *{PERCENTILES}*: parts of equal weight by mean equity, on both streets. *{MIXED}*: percentiles "
        f"on the flop, the turn as {FREE} has it. *{HIERARCHICAL}*: flops in {scale.clusters} public clusters by "
        f"{scale.base} base buckets (Brown, Ganzfried and Sandholm 2015, Algorithms 1 to 3, one state at a time, "
        f"{RESTARTS} restarts), and in each an equal part of the buckets ({parts}), by EMD. *{LOSSLESS}*: all "
        "hands apart up to suits. *Full width*: CFR without sampling on the same buckets, rule dcfr, "
        f"{scale.full_width} iterations: what of it is the abstraction's. Equal buckets are run once.",
        "## Claims",
        markdown_table(["claim", "ratio of exploitability", "verdict"], claims(result)),
        "Ratios of geometric means, paired by clustering, below 1 for the claim.",
        f"![Exploitability by iterations]({stem}.png)",
        "## Exploitability in mbb/hand",
        _table(result),
        _reading(result),
    ]


def claims(result: Result) -> list[list[str]]:
    """(claim, measured, verdict)."""
    lines = []
    last = result.scale.iterations[-1]
    for method, other, claim in COMPARED:
        measured, judged = [], {}
        for size in result.scale.sizes:
            parts, verdicts = [], []
            for solver, iterations in ((SAMPLED, last), (FULL_WIDTH, result.scale.full_width)):
                if not result.values(other, size, solver, iterations):
                    continue
                ratio = ratio_of(result, method, other, size, solver, iterations)
                parts.append(f"{solver} {ratio.middle:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]")
                verdicts.append(_verdict(ratio))
            measured.append(f"{size} buckets: {', '.join(parts)}")
            judged[f"{size} buckets"] = _together(verdicts)
        same = len(set(judged.values())) == 1
        verdict = judged[f"{size} buckets"] if same else "; ".join(map(": ".join, judged.items()))
        lines.append([f"{claim}: {method} by {other}", "<br>".join(measured), verdict])
    return lines


def _verdict(ratio: Interval) -> str:
    return "better" if ratio.high < 1 else "worse" if ratio.low > 1 else "no significant difference"


def _together(verdicts: Sequence[str]) -> str:
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return "; ".join(
        f"{each} in {verdicts.count(each)} of {len(verdicts)}" for each in dict.fromkeys(verdicts)
    )


def _kinds(result: Result) -> list[tuple[str, int]]:
    return [*((method, size) for size in result.scale.sizes for method in METHODS), (LOSSLESS, 0)]


def _text(values: Sequence[float]) -> str:
    if not values:
        return "-"
    if len(values) == 1:
        return f"{values[0]:.1f}"
    mean = mean_interval(values)
    return f"{mean.middle:.1f} ± {mean.half:.1f}"


def _table(result: Result) -> str:
    scale, rows = result.scale, []
    for method, size in _kinds(result):
        sampled = [result.values(method, size, SAMPLED, count) for count in scale.iterations]
        whole = result.values(method, size, FULL_WIDTH, scale.full_width)
        rows.append(
            [size or "-", method, *map(_text, sampled), _text(whole), _text(noise(result, method, size))]
        )
    header = ["buckets", "method", *(f"{count:,}" for count in scale.iterations), "full width", "noise"]
    return markdown_table(header, rows)


def noise(result: Result, method: str, size: int) -> list[float]:
    """By how much sampling leaves more exploitability than full width on the same buckets, by clustering."""
    sampled = result.values(method, size, SAMPLED, result.scale.iterations[-1])
    whole = result.values(method, size, FULL_WIDTH, result.scale.full_width)
    if not whole:
        return []
    if len(whole) == 1:
        whole = whole * len(sampled)
    return [value - other for value, other in zip(sampled, whole, strict=True)]


def _reading(result: Result) -> str:
    scale, parts = result.scale, []
    first, last = scale.iterations[0], scale.iterations[-1]
    floor = [fmean(result.values(LOSSLESS, 0, SAMPLED, count)) for count in (first, last)]
    for size in scale.sizes:
        whole, sampled = (
            fmean(result.values(FREE, size, solver, count))
            for solver, count in ((FULL_WIDTH, scale.full_width), (SAMPLED, last))
        )
        parts.append(f"with {size} EMD buckets {whole:.0f} mbb/hand beside sampling's {sampled:.0f}")
    leaders = [_least(result, count) for count in scale.iterations]
    said = "; ".join(f"after {count:,}, {who}" for count, who in zip(scale.iterations, leaders, strict=True))
    return (
        f"*Noise* is what sampling's exploitability after {last:,} iterations has beyond full width's on the same "
        f"buckets; below 0, sampling's strategy is the less exploitable. Full width's exploitability is "
        f"{', '.join(parts)}. Without abstraction sampling is at {floor[0]:.0f} mbb/hand after {first:,} and at "
        f"{floor[1]:.0f} after {last:,} iterations. The least exploitable: {said}. {_longer(result)}"
    )


def _longer(result: Result) -> str:
    """Whether more iterations on buckets help against real cards."""
    kinds = [(method, size) for method, size in _kinds(result) if method != LOSSLESS]
    rising = sum(
        fmean(result.values(*kind, SAMPLED, result.scale.iterations[-1]))
        > fmean(result.values(*kind, SAMPLED, result.scale.iterations[0]))
        for kind in kinds
    )
    return (
        f"On {rising} of {len(kinds)} kinds of buckets the last average strategy is more exploitable than the "
        "first: it comes nearer to the abstract game's equilibrium, which is not the strategy on these buckets "
        "that real cards exploit least."
        if rising
        else "On all kinds of buckets more iterations leave less to exploit."
    )


def _least(result: Result, iterations: int) -> str:
    """The abstraction with the least mean exploitability after `iterations` iterations of sampling."""
    means = {kind: fmean(result.values(*kind, SAMPLED, iterations)) for kind in _kinds(result)}
    method, size = min(means, key=lambda kind: means[kind])
    name = method if method == LOSSLESS else f"{size} buckets, {method}"
    return f"{name} ({means[method, size]:.0f} mbb/hand)"


def plot(result: Result, path: Path) -> None:
    """Exploitability by iterations, a panel for each number of buckets; dashes are full width."""
    plt = pyplot()
    scale = result.scale
    figure, axes = plt.subplots(
        1, len(scale.sizes), figsize=(5.2 * len(scale.sizes), 4.2), sharey=True, squeeze=False
    )
    for axis, size in zip(axes[0], scale.sizes, strict=True):
        for method in (*METHODS, LOSSLESS):
            buckets, colour = (0 if method == LOSSLESS else size), COLOURS[method]
            means = [mean_interval(result.values(method, buckets, SAMPLED, n)) for n in scale.iterations]
            axis.errorbar(
                scale.iterations, [mean.middle for mean in means], yerr=[mean.half for mean in means],
                label=method, color=colour, marker="o", markersize=3, capsize=2, linewidth=1,
            )  # fmt: skip
            whole = result.values(method, buckets, FULL_WIDTH, scale.full_width)
            if whole and method != LOSSLESS:
                axis.axhline(fmean(whole), color=colour, linestyle="--", linewidth=0.8)
        axis.plot([], [], color="0.4", linestyle="--", linewidth=0.8, label="full width, same colours")
        axis.set_xscale("log")
        axis.set_yscale("log")
        plain_ticks(axis.yaxis, (20, 50, 100, 150, 200, 300, 400, 600, 800))
        axis.set_title(f"{size} buckets a street")
        axis.set_xlabel("iterations of external sampling")
        axis.grid(which="both", alpha=0.3)
    axes[0][0].set_ylabel("exploitability against real cards, mbb/hand")
    axes[0][-1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
