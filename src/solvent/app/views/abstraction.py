"""Card abstractions as tables and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from solvent.abstraction.cards.examine import PublicCluster
from solvent.app.terminal import facts_table, table
from solvent.cards.deck import RANKS, cards_label
from solvent.foundation.errors import InputError
from solvent.foundation.extras import pyplot
from solvent.foundation.storage.files import write_picture
from solvent.foundation.units import size

BARS = " ▁▂▃▄▅▆▇█"
SUIT_COLOURS = ("#2e7d32", "#1565c0", "#c62828", "#212121")


def summary_table(document: dict[str, Any]) -> Table:
    """A table of an abstraction."""
    facts = {"fingerprint": document["fingerprint"]}
    for street, (clusters, buckets) in document["sizes"].items():
        facts[street] = f"{clusters} x {buckets} = {clusters * buckets:,} buckets"
    for name in ("base", "flop_features", "turn_features", "public_method", "seed"):
        facts[name.replace("_", " ")] = str(document["design"][name])
    facts["tables"] = f"{size(document['bytes'])}, checksums {document['checksums']}"
    facts["made in"] = f"{sum(document['seconds'].values()):.0f} s"
    return facts_table(f"{document['folder']}: {document['label']}", facts)


def bucket_table(document: dict[str, Any]) -> Group:
    """A table of a bucket's examples below its histogram, a line of bars, or below its rule."""
    if "rule" in document:
        shown = table("hole", "board", rows=(example.values() for example in document["examples"]))
        return Group(Text(f"{document['street']} bucket {document['bucket']}: {document['rule']}"), shown)
    shares = np.array(document["histogram"])
    bars = "".join(BARS[int(np.ceil(8 * share / max(shares.max(), 1e-9)))] for share in shares)
    title = (
        f"{document['street']} bucket {document['bucket']} of public cluster {document['cluster']}: "
        f"mean equity {document['mean_equity']:.3f}, spread {document['spread']:.3f}\n"
        f"equity on the river over {document['run_outs_are']} run-outs ({document['run_outs']:,}), 0 to 1: |{bars}|"
    )
    examples = document["examples"]
    rows = ((each["hole"], each["board"], f"{each['equity']:.3f}") for each in examples)
    return Group(Text(title), table("hole", "board", "equity", rows=rows))


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
    """A table of public clusters."""
    rows = (
        (
            str(each.cluster),
            str(each.flops),
            f"{each.raw_flops:,}",
            f"{each.paired:.0%}",
            f"{each.monotone:.0%}",
            f"{each.two_tone:.0%}",
            f"{each.high_card:.1f}",
            " ".join(cards_label(board) for board in each.examples),
        )
        for each in found
    )
    return table("", "classes", "flops", "paired", "mono", "two-tone", "high", "boards", rows=rows)


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
