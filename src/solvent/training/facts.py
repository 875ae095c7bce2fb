"""Words about a training, for `show` and its report: its length, and what it trains on."""

from __future__ import annotations

from solvent.foundation.storage.run import Run
from solvent.foundation.units import size, span
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.settings import PUBLIC, TrainingSettings
from solvent.training.train import training_cost


def training_facts(run: Run, blueprint: Blueprint) -> dict[str, str]:
    """The time, the tree, the cards and the options of a training, by name."""
    tree, cards = blueprint.tree, blueprint.cards
    facts = run.facts(blueprint.iterations)
    settings = TrainingSettings.resumed(run.configuration, {}, str(run.folder))
    cost = training_cost(tree, cards)
    drawn = "boards" if run.configuration.get("sampling") == PUBLIC else "deals"
    return {
        "trained": f"{span(float(facts['seconds']))}, {blueprint.iterations:,} {drawn}",
        "visits": f"{facts['touched'] / max(cost.rows, 1):,.0f} of each infoset on average",
        "cards": f"{cards.design.label}, fingerprint {cards.fingerprint}",
        "betting": f"{settings.betting}: " + "; ".join(tree.abstraction.describe()),
        "size": f"{tree.decisions:,} decisions, {cost.rows:,} infosets, {cost.infoset_actions:,} actions in them, "
        f"tables of {size(cost.table_bytes)}",
        "learning": _learning(settings),
        "seed": str(settings.seed),
    }


def _learning(settings: TrainingSettings) -> str:
    """Line about a training's rule and exploration."""
    drawn = (
        "a deal" if settings.hole_cards is None else f"a board and the hands of {settings.hole_cards} cards"
    )
    parts = [f"an iteration draws {drawn}", f"rule {settings.rule}", f"reward {settings.reward}"]
    if settings.exploration_decay:
        over = "" if settings.exploration_part is None else f" over {settings.exploration_part:g} of the run"
        parts.append(f"exploration decay{over}{', mixed in' * settings.exploration_mix}")
    if settings.regret_floor:
        parts.append(f"regret floor {settings.regret_floor:g} BB")
    if settings.initial_weights:
        visits = "" if settings.initial_visits is None else f" of {settings.initial_visits:g} visits"
        parts.append(f"initial weights{visits}")
    if settings.unvisited == "prior":
        parts.append("rows never visited play the prior")
    if settings.distributed:
        parts.append(
            f"a head and children, batches of {settings.batch:,}, ahead {settings.ahead}, samples "
            f"{settings.samples}, {settings.child_weights} weights"
        )
    return ", ".join(parts)
