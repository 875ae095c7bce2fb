"""Pictures of what a run did."""

from __future__ import annotations

from pathlib import Path

from solvent.solvers.solve import Result


def plot_convergence(result: Result, path: Path) -> None:
    """Exploitability over iterations, log-log."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    rows = [row for row in result.convergence if row["iterations"] > 0 and row["exploitability"] > 0]
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.loglog(
        [row["iterations"] for row in rows],
        [row["exploitability"] for row in rows],
        marker=".",
        color="#1f77b4",
    )
    axes.set_xlabel("iterations")
    axes.set_ylabel("exploitability (chips, NashConv/2)")
    axes.set_title(f"{result.game}: {result.settings.rule}, {result.settings.updates} updates")
    axes.grid(which="both", alpha=0.25)
    figure.savefig(path, dpi=120)
    plt.close(figure)
