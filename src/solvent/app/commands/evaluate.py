"""The `solvent evaluate` command: how good a training's agent is, or a run's strategy of a small game."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.terminal import bar, table, terminal
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.evaluate.evaluation import Options


def evaluate(
    run: Annotated[Path, typer.Argument(help="A training's folder, or a run's of `solvent solve --out`.")],
    parts: Annotated[
        str, typer.Option(help="What to measure: styles, earlier, lbr, posts, behaviour.")
    ] = "styles,earlier,lbr,posts,behaviour",
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of hands of each match.")] = 100_000,
    lbr_hands: Annotated[
        int, typer.Option(min=2, help="Hands of each local best response, an even number.")
    ] = 20_000,
    lbr_actions: Annotated[
        list[str] | None,
        typer.Option(
            help="fc, fcpa, fc,50%,100%,200%,a or 'turn=fc; river=fcpa'; may be repeated.  [default: fc and fcpa]"
        ),
    ] = None,
    lbr_streets: Annotated[
        str, typer.Option(help="Where it decides; elsewhere it checks and calls.")
    ] = "turn,river",
    run_outs: Annotated[
        int, typer.Option(min=16, help="Boards that local best response draws before the turn.")
    ] = 100,
    deals: Annotated[int, typer.Option(min=1, help="Deals that behaviour is watched over.")] = 200_000,
    post: Annotated[
        str, typer.Option(help="Post-processing: none, purify, threshold(0.15), new(0.2), ...")
    ] = "none",
    seed: Annotated[int, typer.Option(min=0, max=(1 << 63) - 1, help="Seed of deals and draws.")] = 0,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads.  [default: all cores]")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document and nothing else.")
    ] = False,
) -> None:
    """How good an agent is: against styles and its past, local best response, behaviour; or exactly."""
    from solvent.app.views.display import cores
    from solvent.evaluate.evaluation import Options
    from solvent.foundation.run import Run
    from solvent.strategy.post_processing import parse_post

    if not run.is_dir():
        raise InputError(f"there is no folder {run}")
    if Run.open(run).kind == "solve":
        document = _exactly(run)
    else:
        options = Options(
            parts=tuple(_words(parts)),
            pairs=pairs,
            lbr_hands=lbr_hands,
            lbr_actions=tuple(lbr_actions or Options.lbr_actions),
            lbr_streets=tuple(_words(lbr_streets)),
            run_outs=run_outs,
            deals=deals,
            post=parse_post(post),
            seed=seed,
            threads=threads or cores(),
        )
        document = _training(run, options, said=not as_json)
    if as_json:
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    elif "game" in document:
        _show_exact(document)
    else:
        _show(document)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _training(folder: Path, options: Options, said: bool) -> dict[str, Any]:
    """Measure a training, and write its file and its report anew."""
    from solvent.app.views.report import write_report
    from solvent.evaluate.evaluation import Evaluation
    from solvent.strategy.training_run import TrainingRun

    training = TrainingRun.open(folder)
    console = terminal(stderr=True)
    with bar(console) as shown:
        task = shown.add_task("compiling kernels (once per machine)", total=None)

        under_way = [""]

        def seen(what: str, done: int, total: int) -> None:
            shown.update(task, description=what, completed=done, total=total)
            if said and not console.is_terminal and what != under_way[0]:
                console.print(what, soft_wrap=True, highlight=False)
                under_way[0] = what

        evaluation = Evaluation(training, options, seen)
        document = evaluation.run()
    evaluation.save()
    with suppress(KeyboardInterrupt):
        write_report(training, folder / "report.html")
    return document


def _exactly(folder: Path) -> dict[str, Any]:
    """The best response and the local one to the strategy of a small game."""
    from solvent.evaluate.local_response_public import local_response
    from solvent.response.measure import measure
    from solvent.strategy.opening import open_strategy

    strategy = open_strategy(folder)
    found = measure(strategy)
    document: dict[str, Any] = {
        "run": str(folder),
        "game": strategy.game,
        "unit": "chips a game",
        "exploitability": found.exploitability,
        "value": list(found.value),
        "best_response": list(found.best_response),
        "local_best_response": None,
    }
    try:
        local = {
            name: local_response(strategy, bets=bets) for name, bets in (("fc", False), ("all bets", True))
        }
        document["local_best_response"] = {name: list(one.value) for name, one in local.items()}
    except InputError as error:
        document["no_local_best_response"] = str(error)
    return document


def _show_exact(document: dict[str, Any]) -> None:
    shown = table("", "as player 0", "as player 1", "mean", title=f"{document['game']}, {document['unit']}")
    rows = {"the strategy against itself": document["value"], "best response": document["best_response"]}
    for name, value in (document["local_best_response"] or {}).items():
        rows[f"local best response, {name}"] = value
    for name, (first, second) in rows.items():
        shown.add_row(name, f"{first:+.6g}", f"{second:+.6g}", f"{(first + second) / 2:.6g}")
    console = terminal()
    console.print(shown)
    if document["local_best_response"] is None:
        console.print(document["no_local_best_response"], soft_wrap=True)


def _show(document: dict[str, Any]) -> None:
    console = terminal()
    titles = {"styles": "wins against", "earlier": "wins against earlier checkpoints"}
    for part, title in titles.items():
        if document.get(part):
            note = f"post-processing {document['post']}; styles are without" if part == "styles" else None
            shown = table(title, "mbb/hand", "BB/100", "hands", title=note)
            for row in document[part]:
                shown.add_row(
                    row["opponent"],
                    with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 1),
                    with_interval(row["bb_per_100"], row["bb_per_100_95"], 2),
                    f"{row['hands']:,}" + ("" if row["complete"] else ", stopped"),
                )
            console.print(shown)
        elif part in document:
            console.print(f"{document['run']} has no earlier checkpoint to play against", soft_wrap=True)
    if document.get("lbr"):
        shown = table("local best response wins", "mbb/hand", "hands", "hands/s")
        for row in document["lbr"]:
            shown.add_row(
                row["actions"],
                with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 0),
                f"{row['hands']:,}" + ("" if row["complete"] else ", stopped"),
                f"{row['hands_per_second']:,.0f}",
            )
        console.print(shown)
    if document.get("posts"):
        names = [match["opponent"] for match in document["posts"][0]["matches"]]
        shown = table("post", *names, "LBR wins", title="wins against, mbb/hand")
        for row in document["posts"]:
            figures = (
                with_interval(found["mbb_per_hand"], found["mbb_per_hand_95"], 0)
                for found in (*row["matches"], row["lbr"])
            )
            shown.add_row(row["post"], *figures)
        console.print(shown)
    if "behaviour" in document:
        shown = table("behaviour", "measured", "wanted", "")
        for check in document["behaviour"]["checks"]:
            shown.add_row(check["name"], measured(check), check["wanted"], verdict(check))
        console.print(shown)
        for check in document["behaviour"]["checks"]:
            if not check["passed"]:
                console.print(f"{check['name']}: {check['meaning']}", soft_wrap=True)
    if not document["complete"]:
        console.print("stopped before all was measured")


def with_interval(value: float | None, interval: float | None, digits: int) -> str:
    """A figure and half its 95 % interval."""
    if value is None:
        return "-"
    return f"{value:+,.{digits}f}" + ("" if interval is None else f" ± {interval:,.{digits}f}")


def verdict(check: dict[str, Any]) -> str:
    """Whether a check found what is wanted; a dash where it found too little to say."""
    return "-" if check["measured"] is None else "ok" if check["passed"] else "FAILED"


def measured(check: dict[str, Any]) -> str:
    """What a check found."""
    return "too rare" if check["measured"] is None else f"{check['measured']:.3g} {check['unit']}".strip()
