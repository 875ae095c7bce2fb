"""A training's report: one HTML page with charts of the strategy, what was measured, and how it was trained.

The page stands alone: no script, no other file. It is written at every checkpoint, and while the training runs it
refreshes itself.
"""

from __future__ import annotations

import html
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any

from solvent.app.views.charts.html_chart import strategy_chart
from solvent.app.views.charts.line_chart import Line, line_chart
from solvent.app.views.evaluation import LOSES, measured, missed, response_rows, verdict, won
from solvent.cards.deck import parse_cards
from solvent.evaluate.evaluation import read_evaluations
from solvent.evaluate.sentences import sentences
from solvent.forms.betting.tree import DECISION, BettingTree
from solvent.foundation.errors import InputError
from solvent.foundation.storage.files import write_text
from solvent.foundation.storage.run import Run
from solvent.foundation.units import duration
from solvent.games.betting.rules import BOARD_CARDS, CALL, FOLD
from solvent.strategy.agents.betting_line import action_label, decision_after
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.training.facts import training_facts

FILE = "report.html"
BEFORE_THE_FLOP = 4
"""The most charts before the flop."""
REFRESH_SECONDS = 30
SHOWN_CHILDREN = 4
"""Workers that have a line of their own; of more, the least and the most idle are shown."""
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

    `running`: the training is under way, so the page says so and refreshes itself.
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
    """An introduction to the figures."""
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
    openings = [action for action in tree.actions(0) if action > CALL] + [CALL]
    flops = ((action, decision_after(tree, decision_after(tree, 0, action), CALL)) for action in openings)
    opening, flop = next(((action, node) for action, node in flops if node is not None), (CALL, None))
    if flop is None:
        return []
    began = "a raise and a call" if opening > CALL else "two calls"
    check = decision_after(tree, flop, CALL)
    turn = decision_after(tree, check, CALL)
    river = decision_after(tree, decision_after(tree, turn, CALL), CALL)
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


def _progress(run: Run) -> str:
    """Regret over iterations."""
    rows = [row for row in run.metrics() if row["iterations"]]
    chart = line_chart([_line("", rows, lambda row: max(row["regret"], 1e-3))], "iterations", "regret (mbb)")
    if not chart:
        return ""
    return (
        "<h2>Progress of the training</h2><p>The regret of the first decision: how much more, per hand, the best "
        "fixed first action would have won so far within the abstraction. It falls as the training converges. It "
        "is no bound of what the agent can lose in the full game.</p>"
        f"<figure>{chart}</figure>"
    )


def _line(name: str, rows: Sequence[Mapping[str, Any]], value: Callable[[Mapping[str, Any]], float]) -> Line:
    """A line of values over iterations."""
    return Line(name, [(float(row["iterations"]), float(value(row))) for row in rows])


def _facts_table(rows: Mapping[str, str]) -> str:
    lines = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
    return f"<table class='facts'>{lines}</table>"


# Head and children


def cluster_section(metrics: Sequence[Mapping[str, Any]]) -> str:
    """The section on a head and its children: charts of idle time, latency and bytes; nothing without them."""
    rows = [row for row in metrics if row.get("idle") and row["iterations"]]
    if not rows:
        return ""
    charts = (
        ("Idle time of each child", _idle_lines(rows), "% of the time"),
        ("Latency of a batch", [_line("", rows, lambda row: max(1e-6, 1e3 * float(row["latency"])))], "ms"),
        (
            "Bytes between the head and its children",
            [_line("", rows, lambda row: max(1e-6, 1e-6 * float(row["bytes_rate"])))],
            "MB/s",
        ),
    )
    figures = "".join(
        f"<figure><figcaption>{title}</figcaption>{line_chart(lines, 'iterations', unit)}</figure>"
        for title, lines, unit in charts
    )
    return (
        "<h2>Head and children</h2><p>A head had the first street, and children the rest, each for public clusters "
        "of its own. A child is idle while it waits for the head or for slower children. The latency of a batch is "
        "the time between its sending and its answer in which the child did not work on it."
        f"{_replaced(rows)}</p>"
        f"<div class='charts'>{figures}</div>"
    )


def _replaced(rows: Sequence[Mapping[str, Any]]) -> str:
    """A sentence on the workers that were lost; nothing if none was."""
    count = sum(int(row.get("replaced", 0)) for row in rows)
    if not count:
        return ""
    workers = "1 worker was lost and replaced" if count == 1 else f"{count} workers were lost and replaced"
    return f" {workers}; the tables are those of a run in which none was."


def _idle_lines(rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    def line(name: str, pick: Callable[[Sequence[float]], float], children: int = 0) -> Line:
        counted = [row for row in rows if len(row["idle"]) >= children]
        return _line(name, counted, lambda row: max(0.1, 100 * float(pick(row["idle"]))))

    most = max(len(row["idle"]) for row in rows)
    if most > SHOWN_CHILDREN:
        return [line("least idle", min), line("most idle", max)]
    return [line(f"child {number}", itemgetter(number - 1), number) for number in range(1, most + 1)]


# Measurements


def evaluation_section(folder: Path, iterations: int) -> str:
    """The section as HTML, empty where nothing was measured. `iterations`: those of the report's strategy."""
    try:
        found = read_evaluations(folder)
    except InputError as error:
        return f"<h2>Evaluation</h2><p>{html.escape(str(error))}</p>"
    if not found:
        return ""
    newest = [each for each in found if each.get("iterations") == iterations] or found[:1]
    here = [{**each, "run": str(folder)} for each in newest]  # it may have moved since it was measured
    return "<h2>Evaluation</h2>" + "".join(_of_one(each, iterations) for each in here)


def bounds_section(folder: Path) -> str:
    """The section on the agent's exploitability: lower bounds by responses to it, over iterations."""
    found: list[dict[str, Any]] = []
    lines: list[Line] = []
    with suppress(
        InputError, KeyError, TypeError, ValueError
    ):  # the section on the evaluation says what is damaged
        found = read_evaluations(folder)
        lines = response_lines(found)
    title = "<h2>Exploitability</h2>"
    if not lines and any(each.get("lbr") for each in found):
        return (
            f"{title}<p>Local best response has won nothing from the agent on average, so it gives no lower bound "
            "of what the agent can lose. That does not mean that the agent cannot be exploited.</p>"
        )
    if not lines:
        return (
            f"{title}<p>No bound has been measured yet. <code>solvent evaluate {_typed(folder)} --parts "
            "lbr</code> plays local best response against the agent; what that wins is a lower bound of what the "
            "agent can lose.</p>"
        )
    chart = line_chart(lines, "iterations", "lower bound (mbb/hand)")
    return (
        f"{title}<p>What responses to the agent win from it on average. The best opponent wins at least as "
        "much, so each point is a lower bound of the agent's exploitability, up to its 95 % interval. How much "
        "more the best opponent would win is not known: no upper bound can be computed for the full game, and a "
        "falling line is a good sign but no proof. With fc local best response may fold, check and call; with fcpa "
        "also bet the pot or all-in. One setting alone may mislead: the largest counts. A best response inside the "
        "abstraction has the agent's own buckets and bets.</p>"
        f"<figure>{chart}</figure>"
    )


def response_lines(found: list[dict[str, Any]]) -> list[Line]:
    """Winnings of responses over iterations: a line for each setting and post-processing.

    A bound that is not above zero says nothing, and is left out.
    """
    points: dict[str, dict[int, tuple[float, float]]] = {}
    for each in reversed(found):  # the newest measurement of a checkpoint counts
        rows = [(row["actions"], row) for row in each.get("lbr", [])]
        if "inside" in each:
            rows.append(("inside the abstraction", each["inside"]))
        post = "" if each.get("post", "none") == "none" else f", {each['post']}"
        for name, row in rows:
            if row["complete"] and row["mbb_per_hand"] and row["mbb_per_hand"] > 0 and each["iterations"] > 0:
                line = points.setdefault(f"{name}{post}", {})
                line[each["iterations"]] = (row["mbb_per_hand"], row["mbb_per_hand_95"] or 0.0)
    return [
        Line(
            name,
            [(float(at), line[at][0]) for at in sorted(line)],
            [line[at][1] for at in sorted(line)],
        )
        for name, line in points.items()
    ]


def _typed(folder: Path) -> str:
    """A folder as it is typed in a command from where this one was started."""
    return html.escape(shlex.quote(str(folder)))


def _of_one(found: dict[str, Any], iterations: int) -> str:
    """The part of the section on one strategy."""
    try:
        tables = _meaning(found) + _matches(found) + _responses(found) + _posts(found) + _behaviour(found)
    except (KeyError, TypeError, ValueError):
        return "<p>The results of an evaluation are damaged; evaluate again.</p>"
    of = f"After {found.get('iterations', 0):,} iterations, post-processing {found.get('post', 'none')}."
    if found.get("iterations") != iterations:
        of += " Training has gone on since."
    if found.get("styles"):
        of += " Styles change the strategy, and are post-processed as it is."
    return f"<p>{html.escape(of)}</p>{tables}"


def _meaning(found: dict[str, Any]) -> str:
    """The meaning of the figures, as a list."""
    said = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences(found))
    return f"<ul class='meaning'>{said}</ul>"


def _matches(found: dict[str, Any]) -> str:
    made = ""
    for part, title in (("styles", "wins against"), ("earlier", "wins against its checkpoint of")):
        rows = [
            [row["opponent"], won(row, 1), won(row, 2, "bb_per_100"), f"{row['hands']:,}"]
            for row in found.get(part, [])
        ]
        made += _table([title, "mbb/hand", "BB/100", "hands"], rows)
    return made


def _responses(found: dict[str, Any]) -> str:
    note = ""
    if "lbr_maximum" in found and len(found["lbr"]) > 1:
        note = (
            "<p>Each figure has its own 95 % interval. That of the largest is where the largest true value lies, "
            "with all intervals widened to hold at once: it holds although the largest was chosen.</p>"
        )
    return _table(LOSES, response_rows(found)) + note


def _posts(found: dict[str, Any]) -> str:
    whole = [row for row in found.get("posts", []) if "lbr" in row]
    names = [match["opponent"] for match in found["posts"][0]["matches"]] if whole else []
    rows = [[row["post"], *(won(each) for each in (*row["matches"], row["lbr"]))] for row in whole]
    return _table(["post-processed, wins against", *names, "local best response wins most"], rows)


def _behaviour(found: dict[str, Any]) -> str:
    rows = [
        [
            check["name"],
            measured(check),
            check["wanted"],
            verdict(check) + ("" if check["passed"] else f": {missed(check)}"),
        ]
        for check in found.get("behaviour", {}).get("checks", [])
    ]
    return _table(["behaviour", "measured", "wanted", ""], rows)


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text; nothing without rows."""
    escaped = [[html.escape(cell) for cell in row] for row in rows]
    return measured_table(headers, escaped) if rows else ""


def measured_table(headers: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "measured") -> str:
    """A table of figures, whose cells are HTML, in the style of reports."""
    head = "".join(f"<th>{html.escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<div class='wide'><table class='{kind}'><tr>{head}</tr>{body}</table></div>"
