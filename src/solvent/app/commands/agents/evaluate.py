"""The `solvent evaluate` command: how good a trained agent is, or the strategy of a solved game."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.agent_options import load_agents, rules_of
from solvent.app.options import Cards, Json, OwnCode, Seed, Threads
from solvent.app.outcomes import say
from solvent.app.terminal import print_json
from solvent.app.watching import said, watching
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained, names_own_code
from solvent.foundation.progress import interruptible

if TYPE_CHECKING:
    from solvent.evaluate.agent_parts import AgentSettings
    from solvent.evaluate.evaluation import Measured
    from solvent.evaluate.local_best_response import ResponseActions

MOST_HANDS = 10**10
MOST_BOARDS = 10**8
MOST_LBR_HANDS = 10**8
"""What a hand won is kept: 8 bytes each."""
MOST_RUN_OUTS = 100_000
OWN_LBR_HANDS = 1_000
"""An own agent is asked at each decision, which takes longer than tables do."""

Named = Annotated[
    str,
    typer.Argument(
        help="The folder of a training, of a solved game, or of a saved strategy; or an own agent as "
        "bot.py:Class or module:Class, which local best response measures if it says its probabilities."
    ),
]
Parts = Annotated[
    str | None,
    typer.Option(
        help="What to measure: styles, earlier, lbr, inside, posts, behaviour of an agent; best_response, "
        "local_best_response, continuous (continuous_leduc) of a solved game.  [default: all but inside, a best "
        "response inside the abstraction, which takes longer than all others]"
    ),
]
Hands = Annotated[int, typer.Option(min=4, max=MOST_HANDS, help="Hands of each match, an even number.")]
LbrHands = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=MOST_LBR_HANDS,
        help="Hands of each local best response, an even number.  [default: 20000; own agents 1000]",
    ),
]
LbrActions = Annotated[
    list[str] | None,
    typer.Option(
        help="What local best response may do: fc, fcpa, fc,50%,100%,200%,a or 'turn=fc; river=fcpa'; may be "
        "repeated.  [default: fc and fcpa on turn and river, fcpa and many sizes on all streets]"
    ),
]
LbrStreets = Annotated[
    str | None,
    typer.Option(
        help="Where local best response decides; elsewhere it checks and calls.  [default: turn,river where "
        "--lbr-actions is given]"
    ),
]
InsideBoards = Annotated[
    int,
    typer.Option(
        min=1,
        max=MOST_BOARDS,
        help="Boards on which a best response inside the abstraction is first learned for each seat; then twice "
        "as many, and so on until a doubling adds less than 5 mbb/hand.",
    ),
]
InsideValued = Annotated[
    int,
    typer.Option(
        min=12,
        max=MOST_BOARDS,
        help="Boards that such a response is valued over, with all their deals in both seats.",
    ),
]
InsideMost = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_BOARDS,
        help="Boards for each seat that such a response is learned on at most, settled or not.  [default: 256000]",
    ),
]
RunOuts = Annotated[
    int,
    typer.Option(min=16, max=MOST_RUN_OUTS, help="Boards that local best response draws before the turn."),
]
BehaviourHands = Annotated[
    int, typer.Option(min=1, max=MOST_HANDS, help="Hands that behaviour is watched over.")
]
Post = Annotated[str, typer.Option(help="Post-processing: none, purify, threshold(0.15), new(0.2), ...")]
Stack = Annotated[
    float | None,
    typer.Option(min=1, max=100_000, help="Own agents: stack in big blinds.  [default: 200]"),
]
Details = Annotated[
    bool,
    typer.Option(
        "--details", help="Print every table of an agent, as in its report.html, instead of the summary."
    ),
]


def evaluate(
    run: Named,
    parts: Parts = None,
    hands: Hands = 200_000,
    lbr_hands: LbrHands = None,
    lbr_actions: LbrActions = None,
    lbr_streets: LbrStreets = None,
    run_outs: RunOuts = 100,
    inside_boards: InsideBoards = 4_000,
    inside_most: InsideMost = None,
    inside_valued: InsideValued = 12_000,
    behaviour_hands: BehaviourHands = 1_000_000,
    post: Post = "none",
    stack: Stack = None,
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
    from solvent.evaluate.agent_parts import LBR_HANDS, AgentSettings, TrainedAgent
    from solvent.evaluate.evaluation import evaluate as measure
    from solvent.evaluate.evaluation import known
    from solvent.evaluate.response_doublings import MOST, DoublingSettings
    from solvent.evaluate.sentences import sentences
    from solvent.foundation.machine import cores
    from solvent.strategy.post_processing import parse_post

    settings = AgentSettings(
        hands=hands,
        lbr_hands=lbr_hands or (OWN_LBR_HANDS if names_own_code(run) else LBR_HANDS),
        lbr=_responses(lbr_actions, lbr_streets),
        run_outs=run_outs,
        inside=DoublingSettings(inside_boards, inside_most or max(inside_boards, MOST), inside_valued),
        behaviour_hands=behaviour_hands,
        post=parse_post(post),
        seed=seed,
        threads=threads or cores(),
    )
    measured = _measured(run, settings, cards, stack, own_code)
    if measured.folder is None and "run" in measured.facts and said(as_json):
        say(f"nothing can be written in {run}: what is measured is printed, and not kept")
    with watching(quiet=as_json) as watch, interruptible() as stop, explained():
        document = measure(measured, None if parts is None else tuple(_words(parts)), watch=watch, stop=stop)
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
    """Print what was measured now, or a summary of everything that is known of the same strategy."""
    from solvent.app.views.evaluation.summary import show_sentences, show_summary
    from solvent.app.views.evaluation.tables import show_agent, show_solved, show_stopped

    if "game" in document:
        show_solved(document)
    elif details or "run" not in document:  # figures of an agent without a run are kept nowhere
        show_agent(document)
        show_sentences(everything)
    else:
        show_summary(everything)
    show_stopped(document)


def _responses(actions: list[str] | None, streets: str | None) -> tuple[ResponseActions, ...]:
    """The settings of local best response that were asked for."""
    from solvent.evaluate.local_best_response import LATE, STANDARD, response_actions

    if actions is None and streets is None:
        return STANDARD
    where = LATE if streets is None else tuple(_words(streets))
    return tuple(response_actions(text, where) for text in actions or ("fc", "fcpa"))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _measured(
    name: str, settings: AgentSettings, cards: Path | None, stack: float | None, own_code: bool
) -> Measured:
    """What a name stands for: a solved game, a trained agent, or any other agent."""
    from solvent.evaluate.agent_parts import NamedAgent, TrainedAgent
    from solvent.evaluate.solved_parts import SolvedGame
    from solvent.foundation.storage.bundle import MANIFEST
    from solvent.foundation.storage.run import Run
    from solvent.strategy.agents.training_run import TrainingRun

    folder = Path(name)
    if not folder.is_dir():
        if not names_own_code(name):
            raise InputError(f"there is no folder {name}")
        (agent,) = load_agents([name], None, "sum", cards)
        with explained():
            return NamedAgent(agent, rules_of([agent], None if stack is None else f"{stack:g}"), settings)
    if stack is not None:
        raise InputError(
            "--stack is for own agents; a training is measured with the stacks it was trained with"
        )
    if (folder / MANIFEST).is_file() or Run.open(folder).kind == "solve":
        return SolvedGame(folder, own_code)
    return TrainedAgent(TrainingRun.open(folder, cards), settings)
