"""Arguments and options that several commands share, and commands whose options are the fields of a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from solvent.app.output import check_writable, check_writable_folder

KEYWORD = inspect.Parameter.KEYWORD_ONLY
MOST_THREADS = 1024
MOST_SEED = (1 << 63) - 1
SPOTS = "Spots"
"""The panel of options that are for runs of spots."""
KEEP = "Keep"
"""That of runs' folders, as in `solving.settings`, whose import takes a second."""


def panel_option(panel: str, help: str, *names: str, **more: Any) -> Any:
    """An option in a panel of the help."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


spot_option = partial(panel_option, SPOTS)


def _writable_folder(folder: Path) -> Path:
    check_writable_folder(folder)
    return folder


def _writable_file(path: Path | None) -> Path | None:
    if path is not None:
        check_writable(path)
    return path


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RunName = Annotated[
    str,
    typer.Argument(help="A run's folder, a training's checkpoint such as RUN#500000, or a saved strategy."),
]
OwnCode = Annotated[
    bool,
    typer.Option(
        "--own-code",
        help="Run the code of a run whose game is own code, where you trust it.  [default: a run is data]",
    ),
]
NewRun = Annotated[Path | None, panel_option(KEEP, "Save the run to this folder (must be new).", "--out")]
OldRun = Annotated[Path | None, panel_option(KEEP, "Resume the run in this folder.", "--resume")]
Seed = Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Seed of everything that is drawn.")]
Cards = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the runs' card abstraction.  [default: found by its fingerprint where it was, or near "
        "the run]"
    ),
]
Threads = Annotated[int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads.  [default: all cores]")]
ResultsFolder = Annotated[
    Path, typer.Option(callback=_writable_folder, help="The folder for the page, its CSV and its picture.")
]
ResultsPage = Annotated[
    Path | None, typer.Option(callback=_writable_file, help="Write a results page in Markdown here.")
]
PictureFile = Annotated[Path | None, typer.Option(callback=_writable_file, help="Write a picture here.")]


def with_fields(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that replaces a command's parameter `options`, a dataclass, by options for its fields."""
    own = inspect.signature(command, eval_str=True).parameters
    kind = own["options"].annotation
    kinds = get_type_hints(kind, include_extras=True)
    added = [
        inspect.Parameter(each.name, KEYWORD, default=each.default, annotation=kinds[each.name])
        for each in fields(kind)
    ]

    def run(**arguments: Any) -> Any:
        given = {each.name: arguments.pop(each.name) for each in added}
        return command(**arguments, options=kind(**given))

    placed = (added if name == "options" else [each] for name, each in own.items())
    return with_signature(run, command, list(chain.from_iterable(placed)))


def optional_parameter(name: str, kind: Any, option: Any) -> inspect.Parameter:
    """A command's parameter that is None unless it is given."""
    return inspect.Parameter(name, KEYWORD, default=None, annotation=Annotated[kind | None, option])


def with_signature(
    run: Callable[..., Any], command: Callable[..., Any], parameters: Sequence[inspect.Parameter]
) -> Callable[..., Any]:
    """A function that is called with these parameters, and has the name and the help of a command."""
    ordered = [each.replace(kind=KEYWORD) for each in parameters]
    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in ordered}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run
