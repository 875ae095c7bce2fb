"""The `solvent spot` commands: solve a spot, solve it on many flops, measure it, and write a file to begin with."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.later import Commands
from solvent.app.options import KEEP, Json, NewRun, OldRun, Threads, optional_parameter, panel_option
from solvent.app.outcomes import EXIT_CODES, stopped_by_signals
from solvent.app.output import check_writable
from solvent.app.settings_options import settings_parameters, with_parameters
from solvent.app.terminal import has_colours, may_speak, print_found, print_json, terminal, watching
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.own_code import explained
from solvent.foundation.progress import Stop, Watch, interruptible
from solvent.foundation.storage.files import write_text
from solvent.games.betting.tree_sizes import known_settings
from solvent.solving.settings import ALGORITHM, GAME, SIZES, flag
from solvent.spots.settings import SpotSettings

if TYPE_CHECKING:
    from solvent.foundation.storage.run import Run
    from solvent.spots.flops.choice import WeightedFlop

NARROWER = "Also of a street, a player or both: --turn-{0}, --oop-{0}, --oop-turn-{0}."
SHOWN = {
    "bets": f"Sizes of bets, such as '33%,75%,a': 33%, 2.5x, 100c, e, 3e200%, a. {NARROWER.format('bets')}",
    "raises": f"Sizes of raises, '3x,a | 100%,a' for the first and the later ones; as bets if not given. "
    f"{NARROWER.format('raises')}",
    "donk": "Sizes of OOP's bets into whoever bet or raised last on the street before; as bets if not given. "
    "Also --turn-donk.",
    "cap": "The most bets and raises on a street. Also --turn-cap.",
    "add-all-in": "Add all-in where it is at most this part of the pot, such as 150%.",
    "force-all-in": "Go all-in where a call would leave at most this part of the pot behind, such as 20%.",
    "all-in-above": "Go all-in where a size would put in more than this part of the stack, such as 67%; half of "
    "the starting pot is added to both.",
    "merging": "Drop sizes near a larger one, such as 10%.",
    "add": "Add the last action of a line, such as 'check, bet 100, raise 400'; may be repeated.",
    "remove": "Remove the last action of a line, with all that follows; may be repeated.",
}
"""Help on sizes, in this order; sizes of one street or player are not listed."""
METAVARS = {"add": "<line>", "remove": "<line>", "all-in-above": "<part of stack>"}
METAVARS |= dict.fromkeys(("add-all-in", "force-all-in", "merging"), "<part of pot>")
DEFAULT_FILE = Path("spot.toml")
MOST_ROWS = 10_000
NEEDED_BY_REPORTS = ("flops", "oop", "ip", "pot", "stack")
NOT_FOR_REPORTS = ("board", "lock", "lock_file", "time", "checkpoint_every")
"""Parameters of one solve that a report does not take."""


class SpotCommands(Commands):
    """Commands of `solvent spot`; what begins with none of their names is solved: `solvent spot --board ...`."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if args and args[0] in self.commands and not self.commands[args[0]].hidden:
            return super().make_context(info_name, args, parent, **extra)
        if args and args[0].isalpha() and not Path(args[0]).exists():
            shown = [name for name, command in self.commands.items() if not command.hidden]
            if near := did_you_mean(args[0], shown):
                raise InputError(f"there is neither a command nor a file {args[0]!r}{near}")
        return self.commands["solve"].make_context(info_name, args, parent, **extra)


spot = typer.Typer(cls=SpotCommands, help="Solve hold'em spots.", no_args_is_help=True)


def _parameter(
    name: str, help: str | None, metavar: str | None = None, panel: str = GAME, kind: Any = str
) -> inspect.Parameter:
    """An option that is None unless it is given; without a help it is hidden."""
    hidden = {"hidden": help is None, "show_default": False, "metavar": metavar}
    option = panel_option(panel, help or "", f"--{flag(name)}", **hidden)
    return optional_parameter(name.replace("-", "_"), kind, option)


def _size_parameter(name: str) -> inspect.Parameter:
    metavar = METAVARS.get(name, "<whole number>" if name.endswith("cap") else "<sizes>")
    return _parameter(name, SHOWN.get(name), metavar, SIZES, list[str] if metavar == "<line>" else str)


NARROWER_NAMES = sorted(name for name in known_settings() - SHOWN.keys() if "preflop" not in name)
SIZE_PARAMETERS = [_size_parameter(name) for name in (*SHOWN, *NARROWER_NAMES)]
"""An option for every setting of a betting tree's sizes, preflop's apart."""
GAME_PARAMETERS = [
    _parameter("board", "Three to five cards, such as Td9d6h."),
    _parameter("oop", "The range out of position, which acts first: '66+,A8s+,KQo:0.5', or @FILE."),
    _parameter("ip", "The range in position, likewise."),
    _parameter("pot", "Chips in the middle.", "<chips>"),
    _parameter("stack", "Chips behind each player.", "<chips>"),
    _parameter("rake", "What the house takes of every pot, such as 5%.  [default: 0%]"),
    _parameter("rake_cap", "The most chips that the house takes.  [default: no cap]", "<chips>"),
    _parameter("least_bet", "Chips of the least bet.  [default: 1]", "<chips>"),
    _parameter(
        "lock",
        "What hands play at a decision: 'check, bet 100: 22-55 = fold:0.25, call:0.75'; may be repeated.",
        "<lock>",
        kind=list[str],
    ),
    _parameter("lock_file", "A file with a lock on each line.", kind=Path),
]
SOLVE_PARAMETERS = [*GAME_PARAMETERS, *settings_parameters(SpotSettings), *SIZE_PARAMETERS]
REPORT_PARAMETERS = [*GAME_PARAMETERS, *SIZE_PARAMETERS, *settings_parameters(SpotSettings)]
SPOT_NAMES = [each.name for each in (*GAME_PARAMETERS, *SIZE_PARAMETERS) if "lock" not in each.name]


def _spot_and_settings(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a spot among the options, and the options of its solve."""
    from solvent.spots.requests import spot_options

    given = {name: options.pop(name) for name in SPOT_NAMES if name in options}
    return spot_options(given), options


@spot.command("solve", hidden=True, epilog=EXIT_CODES)
@with_parameters(SOLVE_PARAMETERS)
def solve(
    file: Annotated[
        Path | None,
        typer.Argument(help="A TOML file (`solvent spot init` writes one), or a TexasSolver command file."),
    ] = None,
    out: NewRun = None,
    resume: OldRun = None,
    start: Annotated[
        Path | None,
        panel_option(
            ALGORITHM,
            "Start from the tables of this run: the same spot with other locks, lines or sizes.",
            "--from",
        ),
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a hold'em spot from a flop, turn or river on: two ranges, a pot, stacks and bet sizes.

    Exploitability is half of what both players would gain by best responses, in percent of the pot; EVs are shares
    of the pot. `solvent spot init` writes a commented file to begin with; `solvent spot report` solves many flops.
    """
    from solvent.app.views.spots.solved import spot_view
    from solvent.foundation.machine import cores
    from solvent.spots.requests import lock_lines, spot_request
    from solvent.spots.run import resume_spot, solve_spot

    lock_file, locks = options.pop("lock_file", None), options.pop("lock", [])
    given, options = _spot_and_settings(options)
    locks = [*([] if lock_file is None else lock_lines(lock_file)), *locks]  # the last one counts
    if resume is not None:
        _check_resumed(
            {"FILE": file, "--out": out, "--from": start, "--lock": locks or None, **_flags(given)}
        )
        with watching(quiet=as_json) as watch, explained():
            result, code = stopped_by_signals(lambda: resume_spot(resume, options, watch))
    else:
        request = spot_request(file, start, given, locks)
        settings = SpotSettings.of({"threads": cores(), **request.options, **options})
        for note in request.notes if may_speak(as_json) else ():
            terminal(stderr=True).print(f"note: {note}", soft_wrap=True)
        with watching(quiet=as_json) as watch, explained():
            result, code = stopped_by_signals(
                lambda: solve_spot(request.spot, settings, request.locks, watch, out=out, start=start)
            )
    console = terminal()
    print_found(as_json, result.as_dict(), lambda: spot_view(result, console.width, has_colours(console)))
    if result.unsaved is not None:
        raise InputError(result.unsaved)
    return code


def _flags(given: dict[str, Any]) -> dict[str, Any]:
    return {f"--{flag(name)}": value for name, value in given.items()}


def _check_resumed(given: dict[str, Any]) -> None:
    """Reject options that a resumed run cannot change."""
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"a resumed run has its own spot; leave out {name}, or begin a new run by --from and --out"
            )


@spot.command("report", epilog=EXIT_CODES)
@with_parameters([each for each in REPORT_PARAMETERS if each.name not in NOT_FOR_REPORTS])
def report(
    flops: Annotated[
        str | None,
        panel_option(
            GAME,
            "How many flops to solve, chosen to stand for all; or `all`; or a file with a flop on each line, such "
            "as 'Ks7d2c' or, with a weight, 'Ks7d2c 0.5'.",
            metavar="<number|all|file>",
            show_default=False,
        ),
    ] = None,
    line: Annotated[
        str,
        panel_option(
            GAME,
            "Report on the decision on the flop after this line, such as 'check'.  [default: the first]",
            metavar="<line>",
            show_default=False,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        panel_option(
            KEEP,
            "Save the report to this folder (must be new): flops.csv, textures.csv, report.svg, report.html.",
        ),
    ] = None,
    resume: OldRun = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a spot on many flops: frequencies of actions, EVs and equities by flop and texture.

    Means are weighted by how often flops come with these ranges. A number of flops N stands for all 1,755: flops
    are clustered by both players' equities and by texture, and the middle one of each of N clusters is solved.
    """
    from solvent.app.views.spots.flop_report import report_tables, write_files
    from solvent.foundation.storage.run import Run
    from solvent.spots.flops.report import KIND, flop_report, resumed_report

    stop, files = Stop(), list[Path]()
    given, options = _spot_and_settings(options)
    with watching(quiet=as_json) as watch, explained(), interruptible(stop):
        run: Run | None
        if resume is not None:
            asked = {"flops": flops, "line": line or None, "out": out, **given}
            if extra := [name for name, value in _flags(asked).items() if value is not None]:
                raise InputError(f"a resumed report keeps what it began with: leave out {', '.join(extra)}")
            run = Run.open(resume, KIND)
            given, chosen, settings, line = resumed_report(run, options)
        else:
            chosen, settings, run = _begun_report(given, flops, line, out, options, watch, stop)
        with nullcontext() if run is None else run.locked():
            made = flop_report(given, chosen, settings, run, line, watch, stop)
            unsaved = made.unsaved
            if run is not None and made.rows and unsaved is None:
                try:
                    files = write_files(made, run.folder)
                except InputError as error:  # it is said after the report
                    unsaved = str(error)
    if as_json:
        print_json(made.as_dict())
    elif made.rows:
        console = terminal()
        console.print(*report_tables(made, console.width), sep="\n")
        for path in files:
            console.print(f"written: {path}", soft_wrap=True)
    if unsaved is not None:
        raise InputError(unsaved)
    return stop.exit_code if stop.requested else 0


def _begun_report(
    given: dict[str, Any],
    flops: str | None,
    line: str,
    out: Path | None,
    options: dict[str, Any],
    watch: Watch,
    stop: Stop,
) -> tuple[list[WeightedFlop], SpotSettings, Run | None]:
    """The flops, settings and run of a new report, after everything has been checked."""
    from solvent.foundation.machine import cores
    from solvent.foundation.storage.run import Run
    from solvent.games.holdem.spot import check_used
    from solvent.spots.flops.report import check_report, new_report, requested_flops
    from solvent.spots.work import with_limits

    settings = with_limits(SpotSettings.of({"threads": cores(), **options}))
    asked = {"flops": flops, **given}
    if missing := [f"--{name}" for name in NEEDED_BY_REPORTS if asked.get(name) is None]:
        raise InputError(f"a report needs {', '.join(missing)}, or --resume with the folder of a report")
    if out is not None:
        Run.check_new(out)
    chosen = requested_flops(str(flops), given, settings, line, watch, stop)
    check_used(given, chosen[0].label, given.get("rake", 0))
    if out is None:
        check_report(given, chosen, settings, line)
        return chosen, settings, None
    return chosen, settings, new_report(out, given, chosen, settings, line)


@spot.command("exploit", epilog=EXIT_CODES)
@with_parameters([*SIZE_PARAMETERS, *settings_parameters(SpotSettings, "memory")])
def exploit(
    run: Annotated[
        Path, typer.Argument(help="The folder of a spot's run, made by `solvent spot ... --out`.")
    ],
    small_bets: Annotated[
        str,
        typer.Option(
            help="What the strategy takes a bet for that is below all sizes of its tree: `check` (by the mapping "
            "between a check or call and the smallest size) or `smallest` (always the smallest size).",
            metavar="<check|smallest>",
        ),
    ] = "check",
    limit: Annotated[
        int, typer.Option(min=0, max=MOST_ROWS, help="The most actions to list of those left out.")
    ] = 10,
    threads: Threads = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Measure a solved spot against bets that its tree leaves out: exact best responses in a larger tree.

    Give the sizes of the larger tree; those that are not given are the run's. The strategy takes a bet that it does
    not have for one of the two nearest that it has, by the randomised pseudo-harmonic mapping. The larger tree is
    not solved: this takes seconds where a solve takes minutes.
    """
    from solvent.abstraction.betting.tree_translation import SMALL_BETS
    from solvent.app.views.spots.exploited import exploit_view
    from solvent.foundation.machine import cores
    from solvent.spots.exploit import exploit_spot

    if small_bets not in SMALL_BETS:
        raise InputError(f"--small-bets is {' or '.join(SMALL_BETS)}, not {small_bets!r}")
    memory = SpotSettings.of({"memory": options.pop("memory", None)}).memory
    with watching(quiet=as_json) as watch, explained(), interruptible() as stop:
        found = exploit_spot(run, options, small_bets, threads or cores(), memory, watch, stop)
    print_found(as_json, found.as_dict(), lambda: exploit_view(found, limit))
    return 0


@spot.command("init", epilog=EXIT_CODES)
def init(
    file: Annotated[Path, typer.Argument(help="The file to write (must be new).")] = DEFAULT_FILE,
) -> None:
    """Write a commented TOML file that `solvent spot FILE` solves."""
    from solvent.spots.files import TEMPLATE

    if file.exists():
        raise InputError(f"{file} exists; choose another name")
    check_writable(file)
    write_text(file, TEMPLATE)
    terminal().print(f"{file} holds a flop spot; change it, then `solvent spot {file}`", soft_wrap=True)
