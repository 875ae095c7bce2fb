"""The `solvent spot` commands: solve a spot, solve it on many flops, measure it, and write a file to begin with."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.later import Commands
from solvent.app.options import Json
from solvent.app.outcomes import EXIT_CODES, stopped_by_signals
from solvent.app.output import check_writable
from solvent.app.settings_options import settings_parameters, with_parameters
from solvent.app.spot.exploit import exploit_command
from solvent.app.spot.report import report_command
from solvent.app.spot.words import read_spoken
from solvent.app.terminal import has_colours, print_json, terminal
from solvent.app.watching import said, watching
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.own_code import explained
from solvent.foundation.progress import interruptible
from solvent.foundation.storage.files import write_text
from solvent.foundation.storage.reading import read_text
from solvent.games.betting.tree_sizes import known_settings, replaced_sizes
from solvent.games.holdem.spot import check_used
from solvent.solving.settings import ALGORITHM, GAME, KEEP, SIZES
from solvent.spots.settings import SpotSettings

if TYPE_CHECKING:
    from solvent.spots.files import SpotRequest

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
"""What the help says of sizes, in this order; those of one street or player are not listed."""
REPEATED = ("add", "remove")
DEFAULT_FILE = Path("spot.toml")


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


def _size_parameters() -> list[inspect.Parameter]:
    """An option for every setting of a betting tree's sizes, preflop's apart."""
    narrower = sorted(name for name in known_settings() - SHOWN.keys() if "preflop" not in name)
    return [_size_parameter(name) for name in (*SHOWN, *narrower)]


def _size_parameter(name: str) -> inspect.Parameter:
    kinds = {
        "add": "<line>",
        "remove": "<line>",
        "add-all-in": "<part of pot>",
        "force-all-in": "<part of pot>",
    }
    kinds |= {"all-in-above": "<part of stack>", "merging": "<part of pot>"}
    metavar = kinds.get(name, "<whole number>" if name.endswith("cap") else "<sizes>")
    option = typer.Option(
        f"--{name}",
        help=SHOWN.get(name),
        hidden=name not in SHOWN,
        show_default=False,
        metavar=metavar,
        rich_help_panel=SIZES,
    )
    kind = list[str] if name in REPEATED else str
    return inspect.Parameter(
        name.replace("-", "_"),
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )


SIZE_PARAMETERS = _size_parameters()


def _game(kind: Any, help: str, metavar: str | None = None) -> Any:
    """The annotation of an option that says something of the spot itself."""
    option = typer.Option(help=help, show_default=False, metavar=metavar, rich_help_panel=GAME)
    return Annotated[kind | None, option]


GAME_PARAMETERS = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    for name, annotation in {
        "board": _game(str, "Three to five cards, such as Td9d6h."),
        "oop": _game(str, "The range out of position, which acts first: '66+,A8s+,KQo:0.5', or @FILE."),
        "ip": _game(str, "The range in position, likewise."),
        "pot": _game(str, "Chips in the middle.", "<chips>"),
        "stack": _game(str, "Chips behind each player.", "<chips>"),
        "rake": _game(str, "What the house takes of every pot, such as 5%.  [default: 0%]"),
        "rake_cap": _game(str, "The most chips that the house takes.  [default: no cap]", "<chips>"),
        "least_bet": _game(str, "Chips of the least bet.  [default: 1]", "<chips>"),
        "lock": _game(
            list[str],
            "What hands play at a decision: 'check, bet 100: 22-55 = fold:0.25, call:0.75'; may be repeated.",
            "<lock>",
        ),
        "lock_file": _game(Path, "A file with a lock on each line."),
    }.items()
]
SPOT_NAMES = [each.name for each in (*GAME_PARAMETERS, *SIZE_PARAMETERS) if "lock" not in each.name]


@spot.command("solve", hidden=True, epilog=EXIT_CODES)
@with_parameters([*GAME_PARAMETERS, *settings_parameters(SpotSettings), *SIZE_PARAMETERS])
def solve(
    file: Annotated[
        Path | None,
        typer.Argument(help="A TOML file (`solvent spot init` writes one), or a TexasSolver command file."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the run to this folder (must be new).", rich_help_panel=KEEP)
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Resume the run in this folder.", rich_help_panel=KEEP)
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Start from the tables of this run: the same spot with other locks, lines or sizes.",
            rich_help_panel=ALGORITHM,
        ),
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a hold'em spot from a flop, turn or river on: two ranges, a pot, stacks and bet sizes.

    Exploitability is half of what both players would gain by best responses, in percent of the pot; EVs are shares
    of the pot. `solvent spot init` writes a commented file to begin with; `solvent spot report` solves many flops.
    """
    with interruptible() as stop:  # Ctrl-C could get lost in an import
        from solvent.app.views.spots.solved import spot_views
        from solvent.foundation.machine import cores
        from solvent.spots.run import resume_spot, solve_spot
    stop.check()

    spoken = read_spoken({name: options.pop(name) for name in SPOT_NAMES if name in options})
    locks = _locks(options.pop("lock", []), options.pop("lock_file", None))
    if resume is not None:
        _check_resumed({"FILE": file, "--out": out, "--from": start, "--lock": locks, **_flags(spoken)})
        with watching(quiet=as_json) as watch, explained():
            result, code = stopped_by_signals(lambda: resume_spot(resume, options, watch))
    else:
        request = _request(file, start)
        request.spot |= spoken if start is None or file is not None else _over_sizes(request.spot, spoken)
        request.locks += locks
        request.check_complete()
        check_used(spoken, request.spot["board"], request.spot.get("rake", 0))
        settings = SpotSettings.of({"threads": cores(), **request.options, **options})
        for note in request.notes if said(as_json) else ():
            terminal(stderr=True).print(f"note: {note}", soft_wrap=True)
        with watching(quiet=as_json) as watch, explained():
            result, code = stopped_by_signals(
                lambda: solve_spot(request.spot, settings, request.locks, watch, out=out, start=start)
            )
    if as_json:
        print_json(result.as_dict())
    else:
        console = terminal()
        console.print(*spot_views(result, console.width, has_colours(console)), sep="\n")
    if result.unsaved is not None:
        raise InputError(result.unsaved)
    return code


spot.command("report", epilog=EXIT_CODES)(report_command([*GAME_PARAMETERS, *SIZE_PARAMETERS]))
spot.command("exploit", epilog=EXIT_CODES)(exploit_command(SIZE_PARAMETERS))


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


def _request(file: Path | None, start: Path | None) -> SpotRequest:
    """What the file asks for, or else the spot, the locks and the accuracy of the run to start from."""
    from solvent.foundation.storage.run import Run
    from solvent.spots.files import SpotRequest, read_spot_file, spot_parameters
    from solvent.spots.folder import KIND, inherited_options, locks_of, spot_of

    if file is not None:
        return read_spot_file(file)
    if start is None:
        return SpotRequest()
    run = Run.open(start, KIND)
    return SpotRequest(spot_parameters(spot_of(run)), inherited_options(run), list(locks_of(run)))


def _over_sizes(run: dict[str, Any], spoken: dict[str, Any]) -> dict[str, Any]:
    """Spoken settings, in which sizes hold wherever they apply: those of the run that they replace are None."""
    sizes = {name.replace("-", "_") for name in known_settings()}
    before, given = (
        {name: settings[name] for name in settings if name in sizes} for settings in (run, spoken)
    )
    return {**spoken, **dict.fromkeys(before), **replaced_sizes(before, given)}


def _locks(given: list[str], file: Path | None) -> list[str]:
    """Locks of a file and of the command line, which count for more because they come later."""
    if file is None:
        return list(given)
    lines = read_text(file).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")] + list(
        given
    )


def _flags(spoken: dict[str, Any]) -> dict[str, Any]:
    return {"--" + name.replace("_", "-"): value for name, value in spoken.items()}


def _check_resumed(given: dict[str, Any]) -> None:
    """Refuse whatever says anew what a run has fixed."""
    for name, value in given.items():
        if value is not None and value != []:
            raise InputError(
                f"a resumed run has its own spot; leave out {name}, or begin a new run by --from and --out"
            )
