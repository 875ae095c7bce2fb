"""Samplings and prunings of one's own, registered by name so that `solve(..., sampling="mine")` finds them.

@solvent.register_sampling("mine")
class MySampler(solvent.SamplingSolver):
    def __init__(self, tree, settings):
        super().__init__(tree, settings.rule, "external", settings.seed)

What is registered is called with the compiled game and the settings and returns a `Solver` on the history form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from solvent.engines.pruning import PRUNINGS
from solvent.engines.sampling import SAMPLINGS
from solvent.engines.solver import Solver
from solvent.forms.history import GameTree
from solvent.foundation.errors import InputError
from solvent.solving.settings import Settings

Maker = Callable[[GameTree, Settings], Solver]
Made = TypeVar("Made", bound=Maker)

OWN_SAMPLINGS: dict[str, Maker] = {}
OWN_PRUNINGS: dict[str, Maker] = {}


def register_sampling(name: str) -> Callable[[Made], Made]:
    """Register a solver that samples; a decorator of its class or of a function that makes it."""
    return _registering(name, "sampling", SAMPLINGS, OWN_SAMPLINGS)


def register_pruning(name: str) -> Callable[[Made], Made]:
    """Register a solver that prunes; a decorator of its class or of a function that makes it."""
    return _registering(name, "pruning", PRUNINGS, OWN_PRUNINGS)


def _registering(name: str, what: str, names: list[str], own: dict[str, Maker]) -> Callable[[Made], Made]:
    if name in names and name not in own:
        raise InputError(f"there is a {what} {name!r} already; give yours another name")

    def register(make: Made) -> Made:
        own[name] = make
        if name not in names:
            names.append(name)
        return make

    return register
