"""Choice of a solver for a game and settings: the form, the engine, and whether both fit into memory.

The plan `auto` is settled by the solver: on histories by `history.plans.make_plan`, on the public form by
`public.solver.plan_variant`. Sizes are known before anything large is built. What cannot fit is refused with its
size.

Samplings and prunings of one's own are registered by name, so that `solve(..., sampling="mine")` finds them:

@solvent.register_sampling("mine")
class MySampler(solvent.SamplingSolver):
    def __init__(self, tree, settings):
        super().__init__(tree, settings.rule, "external", settings.seed)

What is registered is called with the compiled game and the settings and returns a `Solver` on the history form.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.history.flattened import flattened_bytes
from solvent.engines.history.linear_program import ProgramSolver
from solvent.engines.history.local import LocalSolver
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.history.sampled.layout import BYTES_PER_HISTORY as SAMPLED_BYTES_PER_HISTORY
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.history.solver import HistorySolver, table_dtype
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.local_update import LocalUpdate
from solvent.engines.pruning import PRUNINGS
from solvent.engines.public.arrays.layout import array_bytes
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.public.solver import PublicSolver, plan_variant
from solvent.engines.rules import LinearProgram, RegretRule, load_rule
from solvent.engines.sampling import SAMPLINGS
from solvent.engines.solver import Solver
from solvent.forms.history import BYTES_PER_HISTORY, COMPILING_GAME, GameTree, compile_tree
from solvent.forms.holdem.game import has_holdem_form, holdem_game
from solvent.forms.holdem.sizing import holdem_size, least_cells
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.size import betting_bytes, public_size
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Watch
from solvent.foundation.units import size
from solvent.games.game import Game
from solvent.games.public_rules import PublicRules
from solvent.solving.settings import ONE_THREAD_PLANS, PRUNING, Settings, flag

ON_PUBLIC_FORM = ("auto", "aggregated", "serial", "branched")
"""Plans that a game with a public form runs there; the others need its histories stored."""
MOST_MATRIX_HANDS = 150
"""Hands up to which every terminal may have a matrix of its own."""
BYTES_PER_NODE = 512
"""Bytes of a betting node while the public form is being built."""
WALK_BYTES_PER_CELL = 72
"""Bytes that the serial plans keep on the public form beside the tables: they work in float64, hand by hand."""
PRUNED_BYTES_PER_HISTORY = 160
"""Bytes of interval and total pruning on the history form while the layout is made."""
SEQUENCES_BYTES_PER_HISTORY = 88
"""Bytes of pairs of sequences side by side."""
PRUNE_HISTORIES_UP_TO = 5_000_000
"""Histories up to which pruning walks histories rather than the public form, unless the user says otherwise."""
GROWING_RULE = "cfr"
"""The rule of growing games where nobody has given one: the paper's."""
HOLDEM_TABLES = 2
"""Tables on the public form of hold'em: regrets and averages."""
SMALLER = "give the game smaller parameters"

Refusals = tuple[tuple[str, Any, str], ...]
"""Settings, the one value of each that an engine takes, and why it takes no other."""
NOT_ON_HOLDEM_FORM: Refusals = (
    (
        "updates",
        "alternating",
        "updates one player's regrets while it walks with the other's, so updates are {taken}",
    ),
    ("rule.predictive", False, "keeps no table of the last regrets, which rule {asked.rule} predicts from"),
    ("pruning", "none", "sweeps all hands of a board together, which {asked.pruning} pruning would break up"),
    ("device", "cpu", "is swept by compiled kernels, which run on the {taken} and not on {asked.device}"),
    (
        "evaluator",
        "auto",
        "has one way to sum showdowns, sorted sweeps; evaluator {asked.evaluator} is for other games",
    ),
)
FOR_AGGREGATED = "{name} {value} is for the aggregated plan, and {game} is not solved on it"
NOT_ON_HISTORIES: Refusals = (("evaluator", "auto", FOR_AGGREGATED), ("device", "cpu", FOR_AGGREGATED))
ONE_TERMINAL = "{name} {value} is not for pruning, which sweeps one terminal at a time"
NOT_PRUNED_ON_PUBLIC_FORM: Refusals = (("evaluator", "auto", ONE_TERMINAL), ("device", "cpu", ONE_TERMINAL))

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


def make_solver(game: Game, settings: Settings, watch: Watch | None = None, filled: bool = True) -> Solver:
    """Make the solver of a game: on the public form where the game and the plan have one, else on its histories.

    `watch` is called while the game is being compiled to its histories, and once before its public form is built.
    Tables of total pruning on the public form that are not `filled` are empty, to be loaded.
    """
    settings.check_rule()
    rule, pruning = settings.rule, settings.how_to_prune
    if settings.grow != "none":
        return GrowingSolver(game, rule, settings.updates, settings.how_to_grow, settings.memory, pruning)
    own = OWN_SAMPLINGS.get(settings.sampling) or OWN_PRUNINGS.get(settings.pruning)
    if own is None and not isinstance(rule, LocalUpdate | LinearProgram):
        if settings.how_to_sample:
            return _sampling(game, settings, watch)
        if isinstance(game, PublicRules) and has_holdem_form(game):
            if _on_holdem_form(game, settings):
                return _holdem(game, settings, watch)
        elif isinstance(game, PublicRules) and _on_public_form(game, settings):
            return _public(game, settings, watch, filled)
    _check_needs_no_public_form(game, settings)
    if isinstance(rule, LocalUpdate | LinearProgram):
        runs_on = "flattened" if isinstance(rule, LocalUpdate) else "sequence"
        if settings.plan not in ("auto", runs_on):
            raise InputError(f"rule {rule} runs on the {runs_on} plan, not on {settings.plan}")
    tree = compile_tree(game, settings.memory, watch)
    if isinstance(rule, LinearProgram):
        return ProgramSolver(tree, rule)
    if isinstance(rule, LocalUpdate):
        _check_flattened(tree, settings.memory)
        return LocalSolver(tree, rule, settings.updates)
    if own is not None:
        return own(tree, settings)
    if pruning.skips:
        _check_histories(game, tree, PRUNED_BYTES_PER_HISTORY, f"with {settings.pruning} pruning", settings)
        return PrunedSolver(tree, rule, settings.updates, pruning, settings.dtype)
    if settings.plan == "flattened":
        _check_flattened(tree, settings.memory)
    return HistorySolver(
        tree, rule, settings.updates, settings.plan, settings.threads, settings.dtype, pruning
    )


def check_given(given: Collection[str], settings: Settings, solver: Solver) -> None:
    """Refuse options that were given and change nothing in this solver."""
    pruning = [name for key, name in PRUNING.items() if key in given]
    settings.how_to_prune.check_given(pruning, solver.form)
    unused = {
        "evaluator": isinstance(solver, PublicSolver) and not solver.game.sorted_hands,
        "isomorphism": solver.isomorphic is None,
        "threads": settings.threads > 1 and settings.plan in ONE_THREAD_PLANS,
        "updates": isinstance(solver, ProgramSolver),
        "dtype": isinstance(solver, ProgramSolver | LocalSolver) and settings.dtype == "float32",
    }
    for name, changes_nothing in unused.items():
        if name in given and changes_nothing:
            raise InputError(
                f"{flag(name)} {getattr(settings, name)} changes nothing: the {solver.plan_name} plan on the "
                f"{solver.form} form of {solver.name} does not use it"
            )


def default_rule(game: Game, settings: Settings) -> RegretRule:
    """Choose the rule of a solve for which none is given."""
    if settings.grow != "none":
        return load_rule(GROWING_RULE)
    full_width = settings.pruning == settings.sampling == "none"
    return load_rule(HOLDEM_RULE) if full_width and has_holdem_form(game) else settings.rule


def _first_refusal(refusals: Refusals, asked: Settings, game: Game | None = None) -> str:
    """Return the sentence about the first setting that an engine does not take, or an empty text."""
    for name, taken, why in refusals:
        if (value := attrgetter(name)(asked)) != taken:
            return why.format(name=name, value=value, taken=taken, asked=asked, game=game)
    return ""


def _sampling(game: Game, settings: Settings, watch: Watch | None) -> SamplingSolver:
    tree = compile_tree(game, settings.memory, watch)
    per_history = BYTES_PER_HISTORY + SAMPLED_BYTES_PER_HISTORY
    _check_histories(game, tree, per_history, "with sampling", settings)
    how = settings.how_to_sample
    return SamplingSolver(tree, settings.rule, how, settings.seed, settings.threads, settings.dtype)


def _check_needs_no_public_form(game: Game, settings: Settings) -> None:
    """Refuse settings of the public form for a game that is to be solved on its histories."""
    if refusal := _first_refusal(NOT_ON_HISTORIES, settings, game):
        raise InputError(refusal)
    if settings.plan != "aggregated" and settings.form != "public":
        return
    why = "its public form does not fit" if isinstance(game, PublicRules) else "this game is not so"
    if settings.plan not in ON_PUBLIC_FORM:
        why = f"the {settings.plan} plan runs on stored histories"
    elif has_holdem_form(game):
        why = f"its public form runs the aggregated plan and not {settings.plan}"
    elif settings.form == "history":
        why = "it is to be solved on its histories"
    raise InputError(
        f"the public form needs hands that are dealt, all else public, and room for both in memory: "
        f"{game} is refused because {why}"
    )


# The public form of spots and no-limit games


def _on_holdem_form(game: PublicRules, settings: Settings) -> bool:
    """Whether the hold'em form runs a solve; a small game that it cannot run goes to its histories."""
    if settings.plan not in ("auto", "aggregated") or settings.form == "history":
        return False
    why = _first_refusal(NOT_ON_HOLDEM_FORM, settings)
    if not why:
        return True
    if settings.plan == settings.form == settings.evaluator == "auto" and settings.device == "cpu":
        needed = BYTES_PER_HISTORY * game.histories()
        if needed <= settings.memory:
            return False
        why += f"; {game.histories():,} histories would take {size(needed)}"
    raise InputError(f"the public form of {game} {why}")


def _holdem(game: PublicRules, settings: Settings, watch: Watch | None) -> HoldemSolver:
    isomorphism, memory = settings.isomorphism == "on", settings.memory
    dtype = "float32" if settings.dtype == "auto" else settings.dtype
    _check_betting(game, memory)
    per_number = HOLDEM_TABLES * np.dtype(dtype).itemsize
    least = least_cells(game, isomorphism)
    what = f"{game} has tables of at least {least:,} numbers"
    _check_fits(memory, per_number * least, what, "on its public form")
    expected = holdem_size(game, isomorphism)
    what, needed = f"{game} has tables of {expected.cells:,} numbers", per_number * expected.cells
    _check_fits(memory, needed + expected.form_bytes, what, "with its public form")
    if watch is not None:
        watch(Progress(COMPILING_GAME, 0))
    return HoldemSolver(holdem_game(game, isomorphism), settings.rule, settings.threads, dtype)


# The public form of other games


def _on_public_form(game: PublicRules, settings: Settings) -> bool:
    if settings.plan not in ON_PUBLIC_FORM or settings.form == "history":
        return False
    pruned = settings.pruning != "none" and settings.form == "auto" and settings.plan != "aggregated"
    if pruned and (settings.plan == "serial" or game.histories() <= PRUNE_HISTORIES_UP_TO):
        return False
    # Hands that sort always have a public form, and others while their matrices are small. What is too large for it
    # is too large for the history form too, which refuses it with its size.
    hands = len(game.hands())
    return _sorts(game) or (
        hands <= MOST_MATRIX_HANDS and game.histories() // hands**2 <= settings.memory // BYTES_PER_NODE
    )


def _sorts(game: PublicRules) -> bool:
    """Whether hands are two cards each, which are evaluated by sorting."""
    return game.hole_cards(game.hands()[0]) is not None


def _public(game: PublicRules, settings: Settings, watch: Watch | None, filled: bool) -> Solver:
    # Boards are walked one by one by the serial plans, and told apart where matrices hold the chances.
    every_board = settings.plan in ("serial", "branched") or (not _sorts(game) and settings.device == "cpu")
    isomorphism = settings.isomorphism == "on" and not every_board
    _check_betting(game, settings.memory)
    expected = public_size(game, isomorphism)
    needed = expected.bytes + _table_bytes(expected.cells, settings)
    what = f"{game} has {expected.infoset_actions:,} infoset-actions"
    agent = "`solvent train` makes an agent for the whole game"
    instead = agent if str(game).startswith("holdem(") else SMALLER
    _check_fits(settings.memory, needed, what, "on its public form", instead)
    if watch is not None:
        watch(Progress(COMPILING_GAME, 0))
    public = public_game(game, isomorphism)
    what = f"{game} has {public.infoset_actions:,} infoset-actions"
    _check_fits(settings.memory, _public_bytes(public, settings), what, "on this plan")
    rule, updates = settings.rule, settings.updates
    if settings.pruning != "none":
        if refusal := _first_refusal(NOT_PRUNED_ON_PUBLIC_FORM, settings):
            raise InputError(refusal)
        if settings.plan == "serial":
            raise InputError(
                "the serial plan prunes on the history form; on the public form it is the aggregated plan"
            )
        how = settings.how_to_prune
        return PrunedPublicSolver(public, rule, updates, how, settings.dtype, filled=filled)
    asked = settings.plan, settings.evaluator, settings.threads, settings.dtype, settings.device
    return PublicSolver(public, rule, updates, *asked)


# Sizes, and refusals for them


def _table_bytes(cells: int, settings: Settings) -> int:
    """Bytes of tables of `cells` numbers each, and of the copies of them that a rule or pruning needs."""
    dtype = np.dtype(table_dtype(settings.dtype, cells))
    tables = 3 if settings.rule.predictive else 2
    copies = tables - 1 if settings.updates == "simultaneous" else 0
    sums = settings.pruning == "total"  # values and bounds
    below = settings.how_to_prune.skips and settings.rule.floors  # regrets below 0
    return (tables + copies + sums + below) * cells * dtype.itemsize


def _public_bytes(game: PublicGame, settings: Settings) -> int:
    """Estimate the bytes of a solve on the public form: tables, copies of them, and arrays of the plan."""
    total = _table_bytes(game.cells, settings)
    if settings.plan in ("serial", "branched"):
        return total + WALK_BYTES_PER_CELL * game.cells
    if settings.device != "cpu":
        return total + array_bytes(game, np.dtype(table_dtype(settings.dtype, game.cells)))
    if plan_variant(game) == "sequences":
        return total + SEQUENCES_BYTES_PER_HISTORY * game.rules.histories()
    return total


def _check_fits(memory: int, needed: int, what: str, how: str, instead: str = SMALLER) -> None:
    if needed > memory:
        raise InputError(
            f"{what}, which take {size(needed)} {how}; the memory limit is {size(memory)}; {instead}"
        )


def _check_betting(game: PublicRules, memory: int) -> None:
    """Refuse a betting tree that does not fit into memory before it is built."""
    what = f"{game} has a betting tree of {game.betting_nodes():,} nodes"
    _check_fits(memory, betting_bytes(game), what, "on the public form")


def _check_histories(game: Game, tree: GameTree, per_history: int, how: str, settings: Settings) -> None:
    """Refuse a solve whose memory for each history does not fit."""
    what = f"{game} has {tree.histories:,} histories"
    _check_fits(settings.memory, per_history * tree.histories, what, how)


def _check_flattened(tree: GameTree, memory: int) -> None:
    if (needed := flattened_bytes(tree)) > memory:
        raise InputError(
            f"the flattened plan keeps all {tree.histories:,} histories of {tree.name} in levels, which take "
            f"{size(needed)}; the memory limit is {size(memory)}"
        )
