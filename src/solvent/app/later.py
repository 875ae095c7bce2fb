"""Commands that are imported when they are used, so that `solvent --help` and every command start quickly."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted


class _PlainFlags:
    """Help in which flags stand without a type: `--json`, not `--json <bool>`."""

    def get_params(self, ctx: Any) -> list[Any]:
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return found


class Command(_PlainFlags, TyperCommand):
    """A command."""


class Commands(_PlainFlags, TyperGroup):
    """A group of commands. One that was stopped exits with its own code, for which typer alone would put 130."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Interrupted as stopped:
            raise typer.Exit(stopped.exit_code) from stopped


class LazyCommand(TyperCommand):
    """Stand-in for a command in the list of all: its name and one line, without its module.

    The module holds the command under its own name: a function, or a `typer.Typer` of several commands.
    """

    module = ""

    def loaded(self) -> TyperCommand | TyperGroup:
        """The command itself."""
        assert self.name is not None
        found = self.found(self.name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer()
            alone.command(self.name, epilog=self.epilog)(found)
            found = alone
        found._add_completion = False  # the list of all commands offers it
        found.rich_markup_mode = "markdown"  # help says "[default: ...]", which rich would take for markup
        for each in found.registered_commands:
            if not issubclass(each.cls or TyperCommand, Command):
                each.cls = Command
        made: Any = typer.main.get_command(found)
        made.name = self.name
        return made  # type: ignore[no-any-return]

    def found(self, name: str) -> Any:
        """The object that the command's module has under its name."""
        return getattr(import_module(self.module), name)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return self.loaded().make_context(info_name, args, parent, **extra)


class EntryPointCommand(LazyCommand):
    """Stand-in for a command that another distribution brings by an entry point of the group `solvent.commands`."""

    def found(self, name: str) -> Any:
        for entry in entry_points(group="solvent.commands", name=name):
            return entry.load()
        raise InputError(
            f"`solvent {name}` comes with the distribution solvent-papers; install it beside solvent"
        )


def lazy_command(module: str) -> type[LazyCommand]:
    """The stand-in for a command of a module, which is imported when the command is used."""
    return type("LazyCommand", (LazyCommand,), {"module": module})
