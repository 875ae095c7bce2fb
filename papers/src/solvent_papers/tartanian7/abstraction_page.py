"""The results page of the abstraction experiment: the papers' claims, tables, pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from solvent.abstraction.cards.feature_kernels import BINS
from solvent.cards.deck import cards_label
from solvent_papers.page import Reading, markdown_table, seconds_text, write_csv, write_page
from solvent_papers.tartanian7.abstraction_pictures import METHODS, STREETS, plot_examples, plot_sizes
from solvent_papers.tartanian7.abstraction_quality import RESTARTS, Example, Result
from solvent_papers.tartanian7.figures import abstraction_figures, balance, hierarchy, kept

LITERAL = "literal"


def write_abstraction_quality(result: Result, page: Path, command: str) -> None:
    """The results page with its CSVs and pictures beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.rows, page.with_suffix(".csv"))
    write_csv(result.publics, page.with_name(f"{page.stem}-public.csv"))
    plot_sizes(result, page.with_suffix(".png"))
    plot_examples(result.examples, page.with_name(f"{page.stem}-buckets.png"))
    body = "\n\n".join(part.rstrip() for part in sections(result, page.stem))
    title = "Card abstractions: how well their buckets fit"
    write_page(page, title, command, _three_lines(result), body, abstraction_figures(result))


def _three_lines(result: Result) -> Reading:
    shares = [
        [kept(result, street, clusters, buckets) for clusters, buckets in result.scale.hierarchies]
        for street in STREETS
    ]
    said = " and ".join(
        f"{min(share):.0%} to {max(share):.0%} on the {street}"
        for street, share in zip(STREETS, shares, strict=True)
    )
    ratios = [
        _value(result.one("buckets", street, "percentiles", size).emd)
        / _value(result.one("buckets", street, "emd", size).emd)
        for street in STREETS
        for size in result.scale.sizes
    ]
    return Reading(
        "Brown, Ganzfried and Sandholm (2015): public clusters keep the benefits of imperfect recall to a large "
        "extent. Ganzfried and Sandholm (2014): histograms tell hands apart that mean equity mixes.",
        f"In EMD, public clusters keep {said} of what as many free buckets gain. Percentiles of mean equity have "
        f"{min(ratios):.2f} to {max(ratios):.2f} times the EMD of buckets by histograms.",
        "Take public clusters for what they make possible, solving clusters apart, not for their fit. Fit is "
        "not play, "
        "which the page on buckets and real cards measures.",
    )


def sections(result: Result, stem: str) -> list[str]:
    """The page, part by part."""
    scale = result.scale
    on = "all flop and turn hands" if scale.flops is None else f"the hands on {scale.flops} flops alone"
    return [
        f"Exact equity histograms over all run-outs, {BINS} bins, of {on}, weighted by deals. *Spread*: the "
        "standard deviation of hands' mean equity inside their buckets. *EMD*: the mean earth mover's distance "
        "of a hand's equity histogram to its bucket's median histogram. Both in units of equity x 1,000, so that "
        "10 is one percent of the pot; less is better. They say how alike the hands of a bucket are, not how well "
        f"a strategy on these buckets plays. One clustering each, at most {scale.iterations} iterations. Numbers: "
        f"[{stem}.csv]({stem}.csv), [{stem}-public.csv]({stem}-public.csv).",
        "## The papers' claims",
        markdown_table(["claim", "measured", "verdict"], claims(result)),
        "B2015: Brown, Ganzfried and Sandholm, \"Hierarchical abstraction, distributed equilibrium computation, "
        "and post-processing\". G2014: Ganzfried and Sandholm, \"Potential-aware imperfect-recall abstraction with "
        "earth mover's distance\".",
        "## EMD against mean equity",
        f"![Both measures by method and number of buckets]({stem}.png)",
        _buckets_table(result),
        _buckets_text(result),
        f"![Equity over run-outs in buckets of the flop]({stem}-buckets.png)",
        _examples_text(result),
        _examples_table(result.examples),
        "## Hierarchical against free buckets",
        _hierarchy_table(result),
        _hierarchy_text(result),
        "## Ways to cluster flops",
        _public_table(result),
        _public_text(result),
        "## Potential-aware buckets of the flop",
        _potential_table(result),
        _potential_text(result),
        "## River",
        _river_table(result),
        _river_text(result),
        "## Seconds",
        markdown_table(["part", "seconds"], [(part, f"{took:.0f}") for part, took in result.seconds.items()]),
    ]  # fmt: skip


# The papers' claims


def claims(result: Result) -> list[list[str]]:
    """(claim, measured, verdict)."""
    return [
        *_hierarchy_claims(result),
        *_emd_claims(result),
        *_potential_claims(result),
        *_public_claims(result),
    ]


def _hierarchy_claims(result: Result) -> list[list[str]]:
    lines = []
    for clusters, buckets in result.scale.hierarchies:
        found = []
        for street in STREETS:
            row, free, _ = hierarchy(result, street, clusters, buckets)
            found.append((street, kept(result, street, clusters, buckets), _more(row.emd, free.emd)))
        measured = "; ".join(
            f"{street}: EMD {more} that of {clusters * buckets:,} free buckets, {share:.0%} of what these gain on "
            f"{buckets}"
            for street, share, more in found
        )
        enough = [street for street, share, _ in found if share >= 0.5]
        verdict = "more than half" if len(enough) == 2 else "less than half"
        if len(enough) == 1:
            verdict = f"more than half on the {enough[0]} alone"
        verdict += " in EMD; the paper gives no figure"
        lines.append([
            f"B2015: remembering the flop's cluster keeps the benefits of imperfect recall \"to a large extent\"; "
            f"{clusters} x {buckets}", measured, verdict,
        ])  # fmt: skip
    return lines


def _emd_claims(result: Result) -> list[list[str]]:
    lines = []
    for street in STREETS:
        ratios = []
        for size in result.scale.sizes:
            emd, ehs = (result.one("buckets", street, method, size) for method in ("emd", "percentiles"))
            ratios.append((size, _value(ehs.emd) / _value(emd.emd), emd.spread / ehs.spread))
        measured = "; ".join(
            f"{size} buckets: percentiles have {far:.2f} times the EMD, k-medians {wide:.1f} times the spread"
            for size, far, wide in ratios
        )
        agrees = all(far > 1 for _, far, _ in ratios)
        lines.append([
            f"G2014 and before: histograms tell hands apart that mean equity mixes; {street}", measured,
            ("agrees in EMD" if agrees else "does not agree in EMD")
            + (", the opposite in spread" if all(wide > 1 for *_, wide in ratios) else ""),
        ])  # fmt: skip
    return lines


def _potential_claims(result: Result) -> list[list[str]]:
    parts, own, final = [], [], []
    for size in result.scale.sizes:
        aware, emd = (result.one("potential", "flop", method, size) for method in ("potential", "emd"))
        own.append(_value(aware.potential) / _value(emd.potential))
        final.append(_value(aware.emd) / _value(emd.emd))
        parts.append(
            f"{size} buckets: {own[-1]:.3f} times the EMD over turn buckets, {final[-1]:.2f} times the EMD"
        )
    verdict = (
        f"in their own measure {1 - max(own):.1%} to {1 - min(own):.1%} better"
        if max(own) < 1
        else "not better at every size even in their own measure"
    )
    claim = "G2014: buckets by where the turns lead are better than buckets by final equities alone; flop"
    return [[claim, "; ".join(parts), f"{verdict}; the paper's evidence is play, which is not measured here"]]


def _public_claims(result: Result) -> list[list[str]]:
    lines = []
    for clusters in result.scale.public:
        by = {row.method: row for row in result.publics if row.clusters == clusters}
        literal, total, average, medoids = (
            by[name] for name in (LITERAL, "sequential", "average", "medoids")
        )
        left = clusters - literal.empty
        lines += [
            [
                f"B2015: Algorithm 3 as printed makes C clusters; C = {clusters}",
                f"{left} of {clusters} have flops, the largest {literal.largest:,}; one state at a time: "
                f"{clusters - total.empty} of {clusters}, {total.smallest} to {total.largest}",
                "does not agree" if literal.empty else "agrees",
            ],
            [
                f"B2015, footnote 4: sums make clusters of more balanced sizes than averages; C = {clusters}",
                f"one state at a time: {total.smallest} to {total.largest} against {average.smallest} to "
                f"{average.largest} flops",
                "agrees" if balance(total) < balance(average) else "does not agree",
            ],
            [
                f"B2015, footnote 4: k-medoids takes significantly longer; C = {clusters}",
                f"{seconds_text(medoids.seconds)} s against {seconds_text(total.seconds)} s, "
                f"{RESTARTS} restarts each",
                "agrees" if medoids.seconds > 1.5 * total.seconds else "does not agree",
            ],
            [
                f"B2015, footnote 4: the effect of the objective on quality would be interesting; C = {clusters}",
                "EMD of the flop: "
                + ", ".join(f"{name} {_thousandths(by[name].emd)}" for name in by if name != LITERAL),
                f"{_range(row.emd for name, row in by.items() if name != LITERAL):.1%} from best to worst",
            ],
        ]
    return lines


def _range(values: Iterable[float]) -> float:
    each = list(values)
    return float(max(each) / min(each) - 1)


# Tables and what is to be seen in them


def _buckets_table(result: Result) -> str:
    header = ["buckets", "method", *(f"{street}, {what}" for street in STREETS for what in ("EMD", "spread"))]
    rows = []
    for size in result.scale.sizes:
        for method in ("emd", "percentiles", "intervals"):
            numbers = [result.one("buckets", street, method, size) for street in STREETS]
            cells = [_thousandths(value) for row in numbers for value in (row.emd, row.spread)]
            rows.append([size, METHODS[method], *cells])
    return markdown_table(header, rows)


def _buckets_text(result: Result) -> str:
    first, last = result.scale.sizes[0], result.scale.sizes[-1]
    fall = {
        method: _value(result.one("buckets", "flop", method, first).emd)
        / _value(result.one("buckets", "flop", method, last).emd)
        for method in ("emd", "percentiles")
    }
    return (
        "*Percentiles* are parts of equal weight by mean equity (EHS); *intervals* are the cuts of mean equity "
        "that leave the least spread possible with so many buckets. Spread is what cuts of the mean are made for, "
        "and they win it by construction, percentiles not even aiming at it: k-medians spend buckets on "
        "telling hands of one mean apart. In EMD it is the other way round, and there more percentiles hardly "
        f"help: from {first} to {last} buckets their EMD on the flop falls by a factor {fall['percentiles']:.2f}, "
        f"that of k-medians by {fall['emd']:.2f}. EMD bounds the mean absolute difference of mean equities from "
        "above, so k-medians cannot lose the mean altogether; percentiles lose the rest of the histogram."
    )


def _examples_text(result: Result) -> str:
    size = result.scale.sizes[0]
    return (
        f"Three of {size} buckets by percentiles of the flop (grey: the mean over their hands of the share of "
        "run-outs by the equity they leave). Of each, the tenth of its deals whose equity changes least with the "
        "cards to come (steady hands) and the tenth whose changes most (draws): which of "
        f"{size} buckets by EMD most of them are in (lines), and a hand of each. "
        "Mean equity mixes draws with steady hands; EMD parts them."
    )


def _examples_table(examples: Sequence[Example]) -> str:
    header = ["mean equity", "a steady hand", "its deviation over run-outs", "a draw", "its deviation"]
    rows = [
        [
            f"{each.equity:.3f}",
            *(
                cell
                for cards, deviation in zip(each.cards, each.deviations, strict=True)
                for cell in (f"{cards_label(cards[:2])} on {cards_label(cards[2:])}", f"{deviation:.3f}")
            ),
        ]
        for each in examples
    ]
    return markdown_table(header, rows)


def _hierarchy_table(result: Result) -> str:
    header = [
        "public clusters x buckets",
        *(f"{street}, {what}" for street in STREETS for what in ("EMD", "spread")),
    ]
    rows = []
    for clusters, buckets in result.scale.hierarchies:
        found = [hierarchy(result, street, clusters, buckets) for street in STREETS]
        names = (f"{clusters} x {buckets}", f"1 x {clusters * buckets:,}", f"1 x {buckets}")
        for place, name in enumerate(names):
            each = [rows_of[place] for rows_of in found]
            rows.append([name, *(_thousandths(value) for row in each for value in (row.emd, row.spread))])
    return markdown_table(header, rows)


def _hierarchy_text(result: Result) -> str:
    parts = []
    for clusters, buckets in result.scale.hierarchies:
        costs = " and ".join(
            f"{_value(row.emd) / _value(free.emd) - 1:.0%} more EMD on the {street}"
            for street in STREETS
            for row, free, _ in [hierarchy(result, street, clusters, buckets)]
        )
        shares = " and ".join(f"{kept(result, street, clusters, buckets):.0%}" for street in STREETS)
        parts.append(
            f"{clusters} x {buckets} has {costs} than {clusters * buckets:,} free buckets: {shares} of what these "
            f"save on {buckets} free ones"
        )
    return (
        "Flops are clustered by Algorithms 2 and 3, one state at a time, on "
        f"{result.scale.base:,} base buckets, {RESTARTS} restarts; hands in each cluster by k-medians, EMD. "
        + "; ".join(parts)
        + ". Free buckets know no board: hands of one histogram share a bucket whatever the flop. In a hierarchy "
        "every cluster needs buckets of its own for them, and neither measure rewards that. It costs more on the "
        "turn; a likely reason is that flops were clustered by their flop hands, before the turn card. What the "
        "hierarchy buys is "
        "outside both measures: clusters share no bucket, so everything from the flop on falls into "
        "disjoint games, one for each cluster, that can be solved by workers that hold one of them each; and "
        "players remember, roughly, what flop it was."
    )


def _public_table(result: Result) -> str:
    header = ["C", "method", "empty", "flops, least", "most", "objective", "hands bucketed apart", "buckets",
              "flop, EMD", "spread", "seconds"]  # fmt: skip
    rows = [
        [
            row.clusters,
            row.method,
            row.empty,
            f"{row.smallest:,}",
            f"{row.largest:,}",
            f"{row.objective:,.1f}",
            f"{row.apart:.3f}",
            f"{row.used:,}",
            _thousandths(row.emd),
            _thousandths(row.spread),
            seconds_text(row.seconds),
        ]
        for row in result.publics
    ]
    return markdown_table(header, rows)


def _public_text(result: Result) -> str:
    collapsed = [row for row in result.publics if row.method == LITERAL and row.empty]
    fate = "; ".join(
        f"at C = {row.clusters} it leaves {row.empty} of {row.clusters} clusters empty and {row.largest:,} flops "
        "in one"
        for row in collapsed
    )
    return (
        "*Least*: of the clusters that have flops. Objectives are each method's own (`literal`: that of "
        "`sequential`). *Hands bucketed apart*: a flop's mean distance to the other flops of its cluster, for "
        "comparison. `literal` is Algorithm 3 as printed: all states move at once to the cluster with the smallest "
        "sum, which is a small cluster, and so on. "
        + (f"Here {fate}: what remains is an abstraction with as many fewer buckets. " if fate else "")
        + f"EMD and spread are those of {result.scale.public_buckets} buckets in each cluster."
    )


def _potential_table(result: Result) -> str:
    header = ["buckets", "method", "EMD over turn buckets", "EMD", "spread"]
    rows = [
        [row.buckets, METHODS[row.method], *map(_thousandths, (row.potential, row.emd, row.spread))]
        for row in result.of("potential")
    ]
    return markdown_table(header, rows)


def _potential_text(result: Result) -> str:
    scale = result.scale
    return (
        f"On every {scale.potential_every}th class of flop hands, {result.of('potential')[0].hands:,} in all; all "
        "three methods made and measured on these alone, so numbers are not those of the tables above. *EMD over "
        f"turn buckets*: of how the 47 turns distribute a hand over {scale.potential_buckets} free turn buckets by "
        "EMD, to the mean over its bucket, moving mass costing the EMD between the turn buckets' medians; the "
        "greedy transport, never below the least. It is what potential-aware buckets lower (at most "
        f"{scale.potential_iterations} iterations here), for the other two it is measured afterwards. A histogram "
        "over turn buckets decides, but for what turn buckets mix, the one over final equities."
    )


def _river_table(result: Result) -> str:
    header = ["buckets", "method", "squared OCHS distance x 1,000", "spread"]
    rows = [
        [f"{row.buckets:,}", METHODS.get(row.method, row.method), f"{1e3 * _value(row.ochs):.2f}",
         _thousandths(row.spread)]
        for row in sorted(result.of("river"), key=lambda row: row.buckets)
    ]  # fmt: skip
    return markdown_table(header, rows)


def _river_text(result: Result) -> str:
    scale = result.scale
    parts = []
    coded = [row.method for row in result.of("river") if row.method.startswith("codes")]
    for method in dict.fromkeys(coded):
        ratios = ", ".join(
            f"{_value(result.one('river', 'river', method, size).ochs) / _value(free.ochs) - 1:+.1%} at {size}"
            for size in scale.river_sizes
            for free in [result.one("river", "river", "free", size)]
        )
        parts.append(f"{method}: {ratios}")
    return (
        f"Everything is fitted on every {scale.river_every}th of 134,459 river boards up to suits (codes on 2,000 "
        f"boards) and measured on as many others, {result.of('river')[0].hands:,} hands, weighted by how many "
        "boards each stands for; one public cluster. OCHS: equity against each of eight clusters of opponents' "
        "hands; the distance is the sum of eight squares, to the bucket's mean. *Codes* are grouped by k-means of "
        "what they stand for, as abstractions do it; where as many buckets as codes are given, that is what codes "
        "alone lose. What going through codes costs in OCHS against free k-means: "
        + "; ".join(parts)
        + ". Intervals of equity know nothing else: they have the least spread possible, and hardly gain in OCHS "
        "from more buckets. The codes' strips are cuts of equity too, which k-means of their centres then undoes "
        "where it pays."
    )


def _value(value: float | None) -> float:
    assert value is not None
    return value


def _more(value: float | None, other: float | None) -> str:
    return f"{_value(value) / _value(other):.2f} times"


def _thousandths(value: float | None) -> str:
    return f"{1e3 * _value(value):.2f}"
