"""The `solvent evaluate` command: measurements of a trained agent, or of the strategy of a solved game."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.options import Cards, Json, OwnCode, Seed, Threads, with_fields
from solvent.app.outcomes import say
from solvent.app.terminal import may_speak, print_json, watching
from solvent.foundation.own_code import explained, names_own_code
from solvent.foundation.progress import interruptible

if TYPE_CHECKING:
    from solvent.evaluate.agent_parts import AgentSettings

MOST_HANDS = 10**10
MOST_BOARDS = 10**8
MOST_LBR_HANDS = 10**8
"""Each hand's winnings are kept, in 8 bytes."""
MOST_RUN_OUTS = 100_000
OWN_LBR_HANDS = 1_000

Named = Annotated[
    str,
    typer.Argument(
        help="The folder of a training, of a solved game, or of a saved strategy; or an own agent as "
        "bot.py:Class or module:Class, which local best response measures if it says its probabilities."
    ),
]
Details = Annotated[
    bool,
    typer.Option(
        "--details", help="Print every table of an agent, as in its report.html, instead of the summary."
    ),
]


@dataclass(frozen=True)
class MeasureOptions:
    """The choice and the thoroughness of measurements."""

    parts: Annotated[
        str | None,
        typer.Option(
            help="What to measure: styles, earlier, lbr, inside, posts, behaviour of an agent; best_response, "
            "local_best_response, continuous (continuous_leduc) of a solved game.  [default: all but inside, a "
            "best response inside the abstraction, which takes longer than all others]"
        ),
    ] = None
    hands: Annotated[
        int, typer.Option(min=4, max=MOST_HANDS, help="Hands of each match, an even number.")
    ] = 200_000
    lbr_hands: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=MOST_LBR_HANDS,
            help="Hands of each local best response, an even number.  [default: 20000; own agents 1000]",
        ),
    ] = None
    lbr_actions: Annotated[
        list[str] | None,
        typer.Option(
            help="What local best response may do: fc, fcpa, fc,50%,100%,200%,a or 'turn=fc; river=fcpa'; may be "
            "repeated.  [default: fc and fcpa on turn and river, fcpa and many sizes on all streets]"
        ),
    ] = None
    lbr_streets: Annotated[
        str | None,
        typer.Option(
            help="Where local best response decides; elsewhere it checks and calls.  [default: turn,river where "
            "--lbr-actions is given]"
        ),
    ] = None
    run_outs: Annotated[
        int,
        typer.Option(
            min=16, max=MOST_RUN_OUTS, help="Boards that local best response draws before the turn."
        ),
    ] = 100
    inside_boards: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_BOARDS,
            help="Boards on which a best response inside the abstraction is first learned for each seat; then "
            "twice as many, and so on until a doubling adds less than 5 mbb/hand.",
        ),
    ] = 4_000
    inside_most: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_BOARDS,
            help="Boards for each seat that such a response is learned on at most, settled or not.  "
            "[default: 256000]",
        ),
    ] = None
    inside_valued: Annotated[
        int,
        typer.Option(
            min=12,
            max=MOST_BOARDS,
            help="Boards that such a response is valued over, with all their deals in both seats.",
        ),
    ] = 12_000
    behaviour_hands: Annotated[
        int, typer.Option(min=1, max=MOST_HANDS, help="Hands that behaviour is watched over.")
    ] = 1_000_000
    post: Annotated[
        str, typer.Option(help="Post-processing: none, purify, threshold(0.15), new(0.2), ...")
    ] = "none"

    def settings(self, own_agent: bool, seed: int, threads: int) -> AgentSettings:
        """The settings of a measurement. An own agent is asked at each decision, so it plays fewer hands."""
        from solvent.evaluate.agent_parts import LBR_HANDS, AgentSettings
        from solvent.evaluate.named import response_settings
        from solvent.evaluate.response_doublings import MOST, DoublingSettings
        from solvent.strategy.post_processing import parse_post

        most = self.inside_most or max(self.inside_boards, MOST)
        return AgentSettings(
            hands=self.hands,
            lbr_hands=self.lbr_hands or (OWN_LBR_HANDS if own_agent else LBR_HANDS),
            lbr=response_settings(self.lbr_actions, self.lbr_streets),
            run_outs=self.run_outs,
            inside=DoublingSettings(self.inside_boards, most, self.inside_valued),
            behaviour_hands=self.behaviour_hands,
            post=parse_post(self.post),
            seed=seed,
            threads=threads,
        )


@with_fields
def evaluate(
    run: Named,
    *,
    options: MeasureOptions,
    stack: Annotated[
        float | None,
        typer.Option(min=1, max=100_000, help="Own agents: stack in big blinds.  [default: 200]"),
    ] = None,
    cards: Cards = None,
    own_code: OwnCode = False,
    seed: Seed = 0,
    threads: Threads = None,
    details: Details = False,
    as_json: Json = False,
) -> None:
    """Measure an agent: matches, what it can lose, behaviour. Measure a solved game exactly.

    An agent that was trained ends in one table and three sentences; its report.html has every figure.
    """
    from solvent.app.views.report import write_report
    from solvent.evaluate.agent_parts import TrainedAgent
    from solvent.evaluate.evaluation import evaluate as measure
    from solvent.evaluate.evaluation import known
    from solvent.evaluate.named import listed, measured_by_name
    from solvent.evaluate.sentences import sentences
    from solvent.foundation.machine import cores

    settings = options.settings(names_own_code(run), seed, threads or cores())
    measured = measured_by_name(run, settings, cards, stack, own_code)
    if measured.folder is None and "run" in measured.facts and may_speak(as_json):
        say(f"nothing can be written in {run}: what is measured is printed, and not kept")
    parts = None if options.parts is None else tuple(listed(options.parts))
    with watching(quiet=as_json) as watch, interruptible() as stop, explained():
        document = measure(measured, parts, watch=watch, stop=stop)
        if isinstance(measured, TrainedAgent) and measured.folder is not None:
            with suppress(KeyboardInterrupt):
                write_report(measured.run.run, measured.run.blueprint())
    everything = document if measured.folder is None else known(measured.folder, document)
    if not as_json:
        _show(document, everything, details)
    elif "game" in document:
        print_json(document)
    else:
        print_json({**document, "sentences": sentences(everything)})
    if stop.requested:
        raise typer.Exit(stop.exit_code)


def _show(document: dict[str, Any], everything: dict[str, Any], details: bool) -> None:
    """Print the new figures, or a summary of everything that is known of the same strategy."""
    from solvent.app.views.evaluation import (
        show_agent,
        show_sentences,
        show_solved,
        show_stopped,
        show_summary,
    )
    from solvent.app.views.report import FILE

    if "game" in document:
        show_solved(document)
    elif details or "run" not in document:  # figures of an agent without a run are kept nowhere
        show_agent(document)
        show_sentences(everything)
    else:
        show_summary(everything, Path(everything["run"]) / FILE)
    show_stopped(document)
