"""Command-line options made from settings: one for each field, with its type, default, help text and panel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from typer.models import ArgumentInfo, OptionInfo

from solvent.app.options import optional_parameter, panel_option, with_signature
from solvent.solving.option_checks import Check
from solvent.solving.settings import PANELS, Options, flag, given_options


def with_settings(kind: type[Options]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that gives a command every option of `kind`, in place of its parameter `**options`.

    The command receives the options that the user has given; the others are left out.
    """
    return with_parameters(settings_parameters(kind))


def settings_parameters(kind: type[Options], *names: str) -> list[inspect.Parameter]:
    """A command's parameters for the options of `kind` that are named, or all of them."""
    return [
        _parameter(each.name, each.default, each.metadata)
        for each in fields(kind)
        if not names or each.name in names
    ]


def with_parameters(
    parameters: Sequence[inspect.Parameter],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that gives a command further parameters in place of `**options`.

    The command receives those that are not None; a rule is passed instead of its name.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = dict(inspect.signature(command, eval_str=True).parameters)
        own.pop("options")

        def run(**arguments: Any) -> Any:
            options = {each.name: arguments.pop(each.name) for each in parameters}
            return command(**arguments, **given_options(options))

        arguments = [each for each in own.values() if _is_argument(each)]
        rest = [each for each in own.values() if not _is_argument(each)]
        return with_signature(run, command, [*arguments, *sorted([*rest, *parameters], key=_place)])

    return decorate


def _is_argument(parameter: inspect.Parameter) -> bool:
    marks = getattr(parameter.annotation, "__metadata__", ())
    return any(isinstance(mark, ArgumentInfo) for mark in marks)


FIRST = ("iterations", "out", "resume", "rule", "sampling")
"""Options that stand first in their panels."""


def _place(parameter: inspect.Parameter) -> tuple[int, bool]:
    """Sort key of an option in the help: its panel, those without one last, and whether it stands first there."""
    marks = getattr(parameter.annotation, "__metadata__", ())
    panels = [mark.rich_help_panel for mark in marks if isinstance(mark, OptionInfo)]
    panel = PANELS.index(panels[0]) if panels and panels[0] in PANELS else len(PANELS)
    return panel, parameter.name not in FIRST


def _parameter(name: str, default: Any, metadata: Any) -> inspect.Parameter:
    """An option that is None unless it is given, so that what is given is known."""
    check: Check = metadata["check"]
    shown = metadata["shown"]
    if shown is None and default is not None and default is not False:
        shown = f"{default:g}" if isinstance(default, float) else f"{default}"
    text = metadata["help"] + (f"  [default: {shown}]" if shown else "")
    option = panel_option(
        metadata["panel"], text, f"--{flag(name)}", show_default=False, metavar=check.metavar
    )
    return optional_parameter(name, check.kind, option)
