"""Exploitability of five regret rules on Leduc, as one picture: `python examples/compare_rules.py leduc.png`."""

from __future__ import annotations

import sys

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

import solvent

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for rule in ("cfr", "lcfr", "cfr+", "pcfr+", "dcfr"):
    curve = solvent.solve("leduc", rule=rule, iterations=10_000).convergence
    axes.loglog([row["iterations"] for row in curve], [row["exploitability"] for row in curve], label=rule)
axes.set_xlabel("iterations")
axes.set_ylabel("exploitability (chips, NashConv/2)")
axes.set_title("Leduc hold'em, alternating updates")
axes.grid(which="both", alpha=0.25)
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "leduc.png", dpi=120)
