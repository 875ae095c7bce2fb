"""A training's report: one HTML page with charts of the strategy, what was measured, and how it was trained.

The page stands alone: no script, no other file. It is written at every checkpoint, and while the training runs it
refreshes itself.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path

from solvent.app.views.charts.html_chart import strategy_chart
from solvent.app.views.charts.line_chart import Line, line_chart
from solvent.app.views.cluster_section import cluster_section
from solvent.app.views.evaluation.section import bounds_section, evaluation_section
from solvent.app.views.training_facts import training_facts
from solvent.cards.deck import parse_cards
from solvent.forms.betting.tree import DEAL, DECISION, BettingTree
from solvent.foundation.storage.files import write_text
from solvent.foundation.storage.run import Run
from solvent.foundation.units import duration
from solvent.games.betting.rules import BOARD_CARDS, CALL, FOLD
from solvent.strategy.agents.betting_line import action_label
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.trained import TrainedStrategy

FILE = "report.html"
BEFORE_THE_FLOP = 4
"""The most charts before the flop."""
REFRESH_SECONDS = 30
BOARDS = ("Ks7d2c5h9s", "Th9h6s2dAc")
"""A dry and a wet board, whose first cards are the examples after the flop."""
STYLE = """
:root{color-scheme:light}
body{font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;max-width:76rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;border-bottom:1px solid #ccc}
p,.meaning{max-width:46rem}
.now{background:#fff6d6;border-left:4px solid #d9a400;padding:.5rem .8rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,28rem),1fr));gap:1.6rem 2rem}
figure{margin:0;min-width:0}
figcaption{font-weight:600;margin-bottom:.3rem}
.board{white-space:nowrap}
.hands{width:100%;table-layout:fixed;border-spacing:1px;border-collapse:separate}
.hands td{height:2.1em;padding:0;text-align:center;font-size:clamp(8px,2.35vw,.8rem);
line-height:1;color:#111;border-radius:2px}
.hands .none{color:#767676;background:#f1f1f1}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1rem;margin:.4rem 0 0;padding:0;font-size:.9rem}
.key i{display:inline-block;width:.9em;height:.9em;margin-right:.35em;border-radius:2px;vertical-align:-.08em}
svg{width:100%;height:auto;display:block}
svg text{font-size:13px;fill:#333}
svg polyline,svg path{fill:none;stroke-width:2}
svg .grid{stroke:#e3e3e3;stroke-width:1}
.wide{overflow-x:auto;margin:0 0 1.4rem}
table.facts th,table.measured th{text-align:left;font-weight:600;color:#444}
table.facts th,table.facts td,table.measured th,table.measured td{padding:.15rem 1.4rem .15rem 0;vertical-align:top}
table.measured{font-variant-numeric:tabular-nums;border-collapse:collapse}
table.measured tr+tr{border-top:1px solid #e6e6e6}
@media (max-width:40rem){table.facts th,table.facts td{display:block;padding-right:0}
table.facts td{margin-bottom:.4rem}
table.measured{font-size:.9rem}table.measured th,table.measured td{padding-right:.8rem}}
"""


def write_report(run: Run, blueprint: Blueprint, running: bool = False) -> Path:
    """Write the page of a checkpoint into the run's folder, and return its path.

    `running`: the training goes on, so the page says so and refreshes itself.
    """
    path = run.folder / FILE
    strategy = TrainedStrategy(blueprint, {})
    charts = [strategy_chart(strategy, node, title) for node, title in preflop_decisions(blueprint.tree)]
    examples = [
        strategy_chart(strategy, node, title, parse_cards(board))
        for node, title, board in postflop_examples(blueprint.tree)
    ]
    refresh = f"<meta http-equiv='refresh' content='{REFRESH_SECONDS}'>" if running else ""
    write_text(
        path,
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'>{refresh}"
        f"<title>{html.escape(run.folder.resolve().name)}: hold'em agent</title><style>{STYLE}</style></head><body>"
        f"<h1>Heads-up no-limit hold'em agent: {html.escape(run.folder.resolve().name)}</h1>"
        f"{_under_way(running)}{_introduction(run, blueprint)}"
        f"<h2>Before the flop</h2><div class='charts'>{''.join(charts)}</div>"
        f"{_section('After the flop', examples)}"
        f"<div class='charts'><div>{bounds_section(run.folder)}</div><div>{_progress(run)}</div></div>"
        f"{cluster_section(run.metrics())}"
        f"{evaluation_section(run.folder, blueprint.iterations)}"
        f"<h2>How it was trained</h2>{_facts_table(training_facts(run, blueprint))}</body></html>\n",
    )
    return path


def _section(title: str, figures: list[str]) -> str:
    return f"<h2>{title}</h2><div class='charts'>{''.join(figures)}</div>" if figures else ""


def _under_way(running: bool) -> str:
    if not running:
        return ""
    return (
        "<p class='now'>The training is running. This page shows its newest checkpoint and reloads itself every "
        f"{REFRESH_SECONDS} seconds.</p>"
    )


def _introduction(run: Run, blueprint: Blueprint) -> str:
    """What the figures mean."""
    stack = blueprint.tree.abstraction.rules.effective_stack / blueprint.tree.abstraction.rules.blinds[1]
    seconds = duration(float(run.facts()["seconds"]))
    return (
        f"<p>This is the average strategy after {blueprint.iterations:,} iterations ({seconds} of training), for "
        f"stacks of {stack:g} big blinds (BB). Each square of a chart is a class of starting hands: pairs on the "
        "diagonal, suited hands above it, offsuit hands below. Its colours are the actions, each as wide as it is "
        "likely, and they fill it as high as the class comes there, beside the class that comes most: hands that "
        "were folded before are not drawn. Point at a square to read its probabilities. The percentages under a "
        "chart are over the hands that come there, each as often as it does. A "
        "colour means the same action in every chart, and bets are coloured by their size in parts of the pot. "
        "Amounts are totals of the street in big blinds; what is won is in thousandths of a big blind per hand "
        "(mbb/hand), with 95 % intervals.</p>"
    )


def preflop_decisions(tree: BettingTree) -> list[tuple[int, str]]:
    """The first decision, and what follows a call and each raise: node and title."""
    wanted = [(0, "The button's first action")]
    for action, child in zip(tree.actions(0), tree.children(0), strict=True):
        if action != FOLD and tree.kind[child] == DECISION:
            said = action_label(tree, 0, action).replace("call", "a call").replace("raise to", "a raise to")
            wanted.append((child, f"The big blind after {said}"))
    return wanted[:BEFORE_THE_FLOP]


def postflop_examples(tree: BettingTree) -> list[tuple[int, str, str]]:
    """Decisions after a raise and a call, or after a call: node, title and board.

    They are the first decision on two flops, the answer to a check, and the first decision on the river when both
    have checked the flop and the turn.
    """
    opening = next((action for action in tree.actions(0) if action > CALL and _goes_on(tree, action)), CALL)
    began = "a raise and a call" if opening > CALL else "two calls"
    flop = _after(tree, _after(tree, 0, opening), CALL)
    if flop is None:
        return []
    check = _after(tree, flop, CALL)
    turn = _after(tree, check, CALL)
    river = _after(tree, _after(tree, turn, CALL), CALL)
    dry, wet = BOARDS
    wanted = (
        (flop, dry, f"the big blind acts first, after {began}"),
        (check, dry, f"the button, after {began}, then a check"),
        (flop, wet, f"the big blind acts first, after {began}"),
        (river, dry, f"the big blind acts first, after {began} and checks"),
    )
    return [
        (node, f"{title} (pot {_pot(tree, node):g} BB)", board[: 2 * BOARD_CARDS[tree.street[node]]])
        for node, board, title in wanted
        if node is not None
    ]


def _pot(tree: BettingTree, node: int) -> float:
    """The pot at a decision, in big blinds."""
    return float(tree.paid[node].sum()) / tree.abstraction.rules.blinds[1]


def _goes_on(tree: BettingTree, action: int) -> bool:
    """Whether a hand that is raised so at first, and called, has decisions left on the flop."""
    return _after(tree, _after(tree, 0, action), CALL) is not None


def _after(tree: BettingTree, node: int | None, action: int) -> int | None:
    """The decision that follows an action; None where the hand is over, or there is no such action."""
    if node is None or action not in tree.actions(node):
        return None
    child = tree.children(node)[tree.actions(node).index(action)]
    child = child + 1 if tree.kind[child] == DEAL else child
    return child if tree.kind[child] == DECISION else None


def _progress(run: Run) -> str:
    """Regret over iterations."""
    points = [
        (float(row["iterations"]), max(float(row["regret"]), 1e-3))
        for row in run.metrics()
        if row["iterations"]
    ]
    chart = line_chart([Line("", points)], "iterations", "regret (mbb)")
    if not chart:
        return ""
    return (
        "<h2>Progress of the training</h2><p>The regret of the first decision: how much more, per hand, the best "
        "fixed first action would have won so far within the abstraction. It falls as the training converges. It "
        "is no bound of what the agent can lose in the full game.</p>"
        f"<figure>{chart}</figure>"
    )


def _facts_table(rows: Mapping[str, str]) -> str:
    lines = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
    return f"<table class='facts'>{lines}</table>"
