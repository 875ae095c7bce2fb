"""The command of an experiment, made from its declaration: the fields of its set-up are options."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, get_origin, get_type_hints

import typer
from rich.markdown import Markdown

from solvent.app.later import Command, LazyCommand
from solvent.app.options import Json, ResultsFolder, ResultsPage
from solvent.app.outcomes import keeping_runs
from solvent.app.terminal import print_json, terminal, watching
from solvent.foundation.errors import InputError
from solvent_papers.experiments import Listed
from solvent_papers.frame.experiment import Experiment, Setup
from solvent_papers.frame.pages import Page, new_page, page_again, save_page
from solvent_papers.frame.running import run_parts

RESULTS = Path("docs/results")
Scale = Annotated[str, typer.Option(help="full, or small: seconds, to see that it works.")]
Work = Annotated[
    Path,
    typer.Option(help="The folder of finished parts, which are not run again, and of what they keep."),
]
Again = Annotated[bool, typer.Option("--again", help="Run parts again that have been run.")]
Remark = Annotated[
    str,
    typer.Option(
        help="A sentence for the page about the parts that are run, such as what else the machine did."
    ),
]
PageOnly = Annotated[
    bool, typer.Option("--page-only", help="Write the page again from the JSON beside it; measure nothing.")
]


def add_experiments(group: typer.Typer, listed: Mapping[str, Listed]) -> None:
    """Add the commands of experiments to a group; each is imported when it is used."""
    for name, each in listed.items():
        group.command(name, help=each.help, cls=type("LazyCommand", (_Experiment,), {"listed": each}))(
            _stand_in
        )


def _stand_in() -> None:
    """Nothing: `_Experiment` replaces it by the command itself."""


class _Experiment(LazyCommand, Command):
    """Stand-in for the command of an experiment in the list of all."""

    listed: Listed

    def found(self, name: str) -> Any:
        return command_of(self.listed.load(), self.listed.help)


def command_of(experiment: Experiment[Any], help: str) -> Callable[..., None]:
    """Return the function behind the command of an experiment, whose parameters are its options."""

    def command(**given: Any) -> None:
        _run(experiment, given)

    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _options(experiment).items()
    ]
    command.__doc__ = help
    command.__annotations__ = {each.name: each.annotation for each in options}
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    return command


def _options(experiment: Experiment[Any]) -> dict[str, tuple[Any, Any]]:
    """Return the types and defaults of an experiment's options, by name."""
    found: dict[str, tuple[Any, Any]] = {}
    benched = experiment.verb == "bench"
    if len(experiment.parts) > 1:
        names = ", ".join(part.name for part in experiment.parts)
        usual = "all" if benched else "all that have not been run"
        parts = typer.Option(help=f"Parts to run: {names}.  [default: {usual}]")
        found["part"] = Annotated[list[str] | None, parts], None
    found["scale"] = Scale, "full"
    for each, kind in _fields(experiment.setup):
        repeated = get_origin(kind) is tuple
        given = list[str] | None if repeated else kind
        found[each.name] = Annotated[given, typer.Option(**each.metadata)], None if repeated else each.default
    if benched:
        found["page"] = ResultsPage, None
    else:
        found |= {
            "work": (Work, Path("runs") / experiment.name),
            "again": (Again, False),
            "out": (ResultsFolder, RESULTS),
        }
    return found | {"remark": (Remark, ""), "page_only": (PageOnly, False), "as_json": (Json, False)}


def _fields(setup: type[Setup]) -> list[tuple[Field[Any], Any]]:
    """Return the fields of a set-up that are options, which are those with a default, and their types."""
    kinds = get_type_hints(setup)
    return [(each, kinds[each.name]) for each in fields(setup) if each.default is not MISSING]


def _run(experiment: Experiment[Any], given: Mapping[str, Any]) -> None:
    """Run the parts that were asked for, write the page, and print its three lines, all of it, or JSON."""
    path = given["page"] if experiment.verb == "bench" else given["out"] / f"{experiment.name}.md"
    if given["page_only"]:
        if path is None:
            raise InputError("--page-only writes a page again; name it by --page")
        page = page_again(experiment, path)
    else:
        page = _measured(experiment, given, path)
    if path is not None:
        save_page(experiment, page, path)
    if given["as_json"]:
        named = None if path is None else str(path)
        print_json({"figures": page.document["figures"], "found": page.found, "page": named})
    elif experiment.verb == "bench":
        terminal().print(Markdown(page.text))
    else:
        terminal().print(f"{page.head}written to {path}", soft_wrap=True, markup=False)


def _measured(experiment: Experiment[Any], given: Mapping[str, Any], path: Path | None) -> Page:
    """Run the parts that were asked for and return the page of all that have been run."""
    options = {
        each.name: tuple(given[each.name] or ()) if get_origin(kind) is tuple else given[each.name]
        for each, kind in _fields(experiment.setup)
    }
    if given["scale"] not in ("full", "small"):
        raise InputError(f"--scale is full or small, not {given['scale']!r}")
    with _work_folder(experiment, given, path) as work:
        setup = experiment.setup(work=work, small=given["scale"] == "small", **options)
        with watching() as watch, keeping_runs(work):
            asked = given.get("part") or (), given.get("again", False)
            records = run_parts(experiment, setup, *asked, watch, path, given["remark"])
    return new_page(experiment, records, _command(experiment, options, given, path))


@contextmanager
def _work_folder(experiment: Experiment[Any], given: Mapping[str, Any], path: Path | None) -> Iterator[Path]:
    """Give the folder of finished parts. A `bench` keeps them beside its page until all are done, if it has one."""
    if experiment.verb != "bench":
        yield given["work"] / given["scale"]
    elif path is not None:
        work = path.with_name(f"{path.stem}-unfinished")
        yield work
        shutil.rmtree(work, ignore_errors=True)
    else:
        with TemporaryDirectory() as folder:
            yield Path(folder)


def _command(
    experiment: Experiment[Any], options: Mapping[str, Any], given: Mapping[str, Any], path: Path | None
) -> str:
    """Return the command that runs all parts of an experiment with these options."""
    words = ["solvent", experiment.verb, experiment.name]
    if given["scale"] != "full":
        words += ["--scale", given["scale"]]
    for each, kind in _fields(experiment.setup):
        value, flag = options[each.name], f"--{each.name.replace('_', '-')}"
        if value == each.default or kind is Path:
            continue
        value = each.metadata["metavar"] or value
        if kind is bool:
            words.append(flag if value else flag.replace("--", "--no-", 1))
            continue
        for one in value if isinstance(value, tuple) else [value]:
            words += [flag, f"{one:g}" if isinstance(one, float) else str(one)]
    if experiment.verb == "bench" and path is not None:
        words += ["--page", str(path)]
    return shlex.join(words)
