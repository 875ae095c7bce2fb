"""What the command line shows of card abstractions: tables, and pictures where one would look rather than read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.table import Table
from rich.text import Text

from solvent.abstraction.cards.buckets import BOARD_CARDS, STREETS, CardAbstraction, street_number
from solvent.abstraction.cards.examine import (
    PublicCluster,
    equity_histogram,
    hands_in_bucket,
    run_out_equities,
)
from solvent.abstraction.cards.rule_buckets import RuleBuckets
from solvent.app.terminal import table
from solvent.cards.deck import RANKS, cards_label
from solvent.foundation.errors import InputError
from solvent.foundation.extras import pyplot
from solvent.foundation.storage.files import write_picture
from solvent.foundation.units import size

BARS = " ▁▂▃▄▅▆▇█"
SUIT_COLOURS = ("#2e7d32", "#1565c0", "#c62828", "#212121")
HANDS_FOR_HISTOGRAM = 400


def summary_document(made: CardAbstraction, folder: Path) -> dict[str, Any]:
    """What an abstraction is."""
    return {
        "folder": str(folder),
        "fingerprint": made.fingerprint,
        "design": made.design.as_dict(),
        "label": made.design.label,
        "sizes": {street: list(pair) for street, pair in zip(STREETS, made.sizes, strict=True)},
        "bytes": sum(array.nbytes for array in made.arrays.values()),
        "seconds": made.facts.get("seconds", {}),
        "checksums": "intact",
    }


def summary_table(document: dict[str, Any]) -> Table:
    """As a table."""
    shown = table("", "", title=f"{document['folder']}: {document['label']}")
    shown.add_row("fingerprint", document["fingerprint"])
    for street, (clusters, buckets) in document["sizes"].items():
        shown.add_row(street, f"{clusters} x {buckets} = {clusters * buckets:,} buckets")
    for name in ("base", "flop_features", "turn_features", "public_method", "seed"):
        shown.add_row(name.replace("_", " "), str(document["design"][name]))
    shown.add_row("tables", f"{size(document['bytes'])}, checksums {document['checksums']}")
    shown.add_row("made in", f"{sum(document['seconds'].values()):.0f} s")
    return shown


def bucket_document(
    made: CardAbstraction, street: str, cluster: int, bucket: int, examples: int
) -> dict[str, Any]:
    """What falls into one bucket."""
    hands = hands_in_bucket(made, street, cluster, bucket, max(examples, HANDS_FOR_HISTOGRAM))
    if not len(hands):
        raise InputError(f"no hand was found in {street} bucket {bucket} of public cluster {cluster}")
    if street_number(street) == 0:
        hands = hands[:1]  # a bucket before the flop is one class of hands
    if made.design.by_rule:
        return _rule_document(street, bucket, hands[:examples])
    equities = run_out_equities(made, hands)
    means = equities.mean(axis=1)
    return {
        "street": STREETS[street_number(street)],
        "cluster": cluster,
        "bucket": bucket,
        "run_outs": equities.shape[1],
        "run_outs_are": "random" if street_number(street) == 0 else "all",
        "mean_equity": float(means.mean()),
        "spread": float(means.std()),
        "histogram": [round(float(share), 5) for share in equity_histogram(equities)],
        "examples": [
            {"hole": cards_label(hand[:2]), "board": cards_label(hand[2:]), "equity": round(float(mean), 4)}
            for hand, mean in zip(hands[:examples], means, strict=False)
        ],
    }


def _rule_document(street: str, bucket: int, hands: NDArray[np.uint8]) -> dict[str, Any]:
    """What falls into one bucket by rule: its rule in words, and hands."""
    number = street_number(street)
    rule = cards_label(hands[0]) if number == 0 else RuleBuckets(BOARD_CARDS[number]).label(bucket)
    examples = [{"hole": cards_label(hand[:2]), "board": cards_label(hand[2:])} for hand in hands]
    return {"street": STREETS[number], "cluster": 0, "bucket": bucket, "rule": rule, "examples": examples}


def bucket_table(document: dict[str, Any]) -> Group:
    """As a table, the histogram as a line of bars above it; by rule the rule alone."""
    if "rule" in document:
        shown = table("hole", "board")
        for example in document["examples"]:
            shown.add_row(example["hole"], example["board"])
        return Group(Text(f"{document['street']} bucket {document['bucket']}: {document['rule']}"), shown)
    shares = np.array(document["histogram"])
    bars = "".join(BARS[int(np.ceil(8 * share / max(shares.max(), 1e-9)))] for share in shares)
    title = (
        f"{document['street']} bucket {document['bucket']} of public cluster {document['cluster']}: "
        f"mean equity {document['mean_equity']:.3f}, spread {document['spread']:.3f}\n"
        f"equity on the river over {document['run_outs_are']} run-outs ({document['run_outs']:,}), 0 to 1: |{bars}|"
    )
    shown = table("hole", "board", "equity")
    for example in document["examples"]:
        shown.add_row(example["hole"], example["board"], f"{example['equity']:.3f}")
    return Group(Text(title), shown)


def plot_bucket(document: dict[str, Any], path: Path) -> None:
    """The bucket's equities on the river as a histogram."""
    if "rule" in document:
        raise InputError("a bucket by rule has no table of equities to draw")
    figure, axes, plt = _figure((7, 4))
    shares = np.array(document["histogram"])
    edges = np.linspace(0, 1, len(shares) + 1)
    axes.stairs(shares, edges, fill=True, color="#1f77b4")
    axes.axvline(document["mean_equity"], color="#c62828", label=f"mean {document['mean_equity']:.3f}")
    axes.set_xlabel("equity on the river against a random hand")
    axes.set_ylabel("share of run-outs")
    axes.set_title(f"{document['street']} bucket {document['bucket']}, public cluster {document['cluster']}")
    axes.legend()
    _save(figure, path, plt)


def clusters_table(found: list[PublicCluster]) -> Table:
    """Public clusters, a row each."""
    shown = table("", "classes", "flops", "paired", "mono", "two-tone", "high", "boards")
    for each in found:
        shown.add_row(
            str(each.cluster),
            str(each.flops),
            f"{each.raw_flops:,}",
            f"{each.paired:.0%}",
            f"{each.monotone:.0%}",
            f"{each.two_tone:.0%}",
            f"{each.high_card:.1f}",
            " ".join(cards_label(board) for board in each.examples),
        )
    return shown


def plot_clusters(found: list[PublicCluster], path: Path) -> None:
    """Some boards of every cluster as coloured cards, and how many flops each has."""
    columns = max(len(each.examples) for each in found)
    figure, axes, plt = _figure((2.2 + 1.15 * columns, 0.8 + 0.34 * len(found)))
    for row, each in enumerate(found):
        for column, board in enumerate(each.examples):
            for place, card in enumerate(sorted(board, reverse=True)):
                axes.text(
                    column + 0.22 * place,
                    row,
                    RANKS[card >> 2],
                    color="white",
                    fontsize=8,
                    family="monospace",
                    ha="center",
                    va="center",
                    bbox={
                        "boxstyle": "round,pad=0.18",
                        "facecolor": SUIT_COLOURS[card & 3],
                        "edgecolor": "none",
                    },
                )
        axes.barh(
            row,
            each.raw_flops / max(other.raw_flops for other in found),
            left=columns,
            height=0.7,
            color="#b0bec5",
        )
        axes.text(columns + 0.02, row, f"{each.raw_flops:,}", fontsize=7, va="center")
    axes.set_xlim(-0.3, columns + 1.1)
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_yticks(range(len(found)), [f"{each.cluster}" for each in found], fontsize=8)
    axes.set_xticks([])
    axes.set_ylabel("public cluster")
    axes.set_title("Boards of each public cluster, and how many of the 22,100 flops it has", fontsize=10)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
    _save(figure, path, plt)


def _save(figure: Any, path: Path, plt: Any) -> None:
    try:
        write_picture(path, figure, dpi=110)
    finally:
        plt.close(figure)


def _figure(inches: tuple[float, float]) -> tuple[Any, Any, Any]:
    plt = pyplot()
    figure, axes = plt.subplots(figsize=inches, layout="constrained")
    return figure, axes, plt
