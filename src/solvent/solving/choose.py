"""Which form a game is solved on, by which solver, and whether that fits into memory: game + settings -> solver.

The plan `auto` is settled by the solver: on histories by `history.plans.make_plan`, on the public form by
`public.solver.way_of`.

Sizes are known before anything large is built. What cannot fit is refused with its size.
"""

from __future__ import annotations

from collections.abc import Collection

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
from solvent.engines.public.arrays.layout import array_bytes
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.public.solver import PublicSolver, way_of
from solvent.engines.rules import LinearProgram, RegretRule, load_rule
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
from solvent.solving.own_solvers import OWN_PRUNINGS, OWN_SAMPLINGS
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
GROWING_RULE = "cfr"
"""The rule of growing games where nobody has given one: the paper's."""
HOLDEM_TABLES = 2
"""Tables on the public form of hold'em: regrets and averages."""
SEQUENCES_BYTES_PER_HISTORY = 88
"""Bytes of pairs of sequences side by side."""
PRUNE_HISTORIES_UP_TO = 5_000_000
"""Histories up to which pruning goes history by history rather than on the public form, unless the user says
otherwise."""
SUMS = {"total": 1}
"""Tables beside regrets and averages, at most: values and bounds."""


def make_solver(game: Game, settings: Settings, watch: Watch | None = None, filled: bool = True) -> Solver:
    """A solver for a game: on the public form where the game and the plan have one, else on its histories.

    `watch` is called while the game is being compiled to its histories, and once before its public form is built.
    Tables of total pruning on the public form that are not `filled` are empty, to be loaded.
    """
    settings.check_rule()
    if settings.grow != "none":
        return GrowingSolver(
            game,
            settings.rule,
            settings.updates,
            settings.how_to_grow,
            settings.memory,
            settings.how_to_prune,
        )
    if isinstance(settings.rule, LocalUpdate | LinearProgram):
        return _not_by_kernels(game, settings, settings.rule, watch)
    own = OWN_SAMPLINGS.get(settings.sampling) or OWN_PRUNINGS.get(settings.pruning)
    if own is not None:
        _check_needs_no_public_form(game, settings)
        return own(compile_tree(game, settings.memory, watch), settings)
    if settings.how_to_sample:
        return _sampled(game, settings, watch)
    if has_holdem_form(game):
        assert isinstance(game, PublicRules)
        if _on_holdem_form(game, settings):
            return _holdem(game, settings, watch)
    if _on_public_form(game, settings):
        assert isinstance(game, PublicRules)
        return _public(game, settings, watch, filled)
    _check_needs_no_public_form(game, settings)
    tree = compile_tree(game, settings.memory, watch)
    if settings.how_to_prune.skips:
        _refuse_beyond(
            settings.memory,
            PRUNED_BYTES_PER_HISTORY * tree.histories,
            f"{game} has {tree.histories:,} histories",
            f"with {settings.pruning} pruning",
        )
        return PrunedSolver(tree, settings.rule, settings.updates, settings.how_to_prune, settings.dtype)
    if settings.plan == "flattened":
        _check_flattened(tree, settings.memory)
    return HistorySolver(
        tree,
        settings.rule,
        settings.updates,
        settings.plan,
        settings.threads,
        settings.dtype,
        settings.how_to_prune,
    )


def _not_by_kernels(
    game: Game,
    settings: Settings,
    rule: LocalUpdate | LinearProgram,
    watch: Watch | None,
) -> Solver:
    """A solver on the history form whose iterations are no kernels of ours."""
    _check_needs_no_public_form(game, settings)
    runs_on = "flattened" if isinstance(rule, LocalUpdate) else "sequence"
    if settings.plan not in ("auto", runs_on):
        raise InputError(f"rule {rule} runs on the {runs_on} plan, not on {settings.plan}")
    tree = compile_tree(game, settings.memory, watch)
    if isinstance(rule, LinearProgram):
        return ProgramSolver(tree, rule)
    _check_flattened(tree, settings.memory)
    return LocalSolver(tree, rule, settings.updates)


def check_given(given: Collection[str], settings: Settings, solver: Solver) -> None:
    """Refuse options that somebody has given and that change nothing in this solver."""
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
    """The rule of a solve for which nobody has given one."""
    if settings.grow != "none":
        return load_rule(GROWING_RULE)
    full_width = settings.pruning == settings.sampling == "none"
    return load_rule(HOLDEM_RULE) if full_width and has_holdem_form(game) else settings.rule


def _check_needs_no_public_form(game: Game, settings: Settings) -> None:
    """Refuse what only the public form has, for a game that is to be solved on its histories."""
    for name, value, default in (
        ("evaluator", settings.evaluator, "auto"),
        ("device", settings.device, "cpu"),
    ):
        if value != default:
            raise InputError(f"{name} {value} is for the aggregated plan, and {game} is not solved on it")
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


def _sampled(game: Game, settings: Settings, watch: Watch | None) -> Solver:
    tree = compile_tree(game, settings.memory, watch)
    _refuse_beyond(
        settings.memory,
        (BYTES_PER_HISTORY + SAMPLED_BYTES_PER_HISTORY) * tree.histories,
        f"{game} has {tree.histories:,} histories",
        "with sampling",
    )
    return SamplingSolver(
        tree, settings.rule, settings.how_to_sample, settings.seed, settings.threads, settings.dtype
    )


# The public form of spots and no-limit games


def _on_holdem_form(game: PublicRules, settings: Settings) -> bool:
    """Whether the hold'em form runs a solve; what it cannot run goes to the histories of a game that is small."""
    if settings.plan not in ("auto", "aggregated") or settings.form == "history":
        return False
    why = _not_on_holdem_form(settings)
    if not why:
        return True
    asked = settings.plan == "aggregated" or settings.form == "public"
    elsewhere = settings.device == "cpu" and settings.evaluator == "auto" and not asked
    needed = BYTES_PER_HISTORY * game.histories() if elsewhere else 0
    if elsewhere and needed <= settings.memory:
        return False
    lists = f"; {game.histories():,} histories would take {size(needed)}" if elsewhere else ""
    raise InputError(f"the public form of {game} {why}{lists}")


def _not_on_holdem_form(settings: Settings) -> str:
    """Why the hold'em form does not run a solve with these settings; nothing if it does."""
    if settings.updates != "alternating":
        return "updates one player's regrets while it walks with the other's, so updates are alternating"
    if settings.rule.predictive:
        return f"keeps no table of the last regrets, which rule {settings.rule} predicts from"
    if settings.pruning != "none":
        return f"sweeps all hands of a board together, which {settings.pruning} pruning would break up"
    if settings.device != "cpu":
        return f"is swept by compiled kernels, which run on the cpu and not on {settings.device}"
    if settings.evaluator != "auto":
        return (
            f"has one way to sum showdowns, sorted sweeps; evaluator {settings.evaluator} is for other games"
        )
    return ""


def _holdem(game: PublicRules, settings: Settings, watch: Watch | None) -> HoldemSolver:
    isomorphism = settings.isomorphism == "on"
    dtype = "float32" if settings.dtype == "auto" else settings.dtype
    _check_betting(game, settings.memory)
    per_number = HOLDEM_TABLES * np.dtype(dtype).itemsize
    least = least_cells(game, isomorphism)
    _refuse_beyond(
        settings.memory,
        per_number * least,
        f"{game} has tables of at least {least:,} numbers",
        "on its public form",
    )
    expected = holdem_size(game, isomorphism)
    _refuse_beyond(
        settings.memory,
        per_number * expected.cells + expected.form_bytes,
        f"{game} has tables of {expected.cells:,} numbers",
        "with its public form",
    )
    if watch is not None:
        watch(Progress(COMPILING_GAME, 0))
    return HoldemSolver(holdem_game(game, isomorphism), settings.rule, settings.threads, dtype)


# The public form of other games


def _on_public_form(game: Game, settings: Settings) -> bool:
    if has_holdem_form(game):
        return False
    if not isinstance(game, PublicRules) or settings.plan not in ON_PUBLIC_FORM or settings.form == "history":
        return False
    if settings.pruning != "none" and settings.form == "auto" and settings.plan != "aggregated":
        by_history = settings.plan == "serial" or game.histories() <= PRUNE_HISTORIES_UP_TO
        return not by_history and _has_public_form(game, settings.memory)
    return _has_public_form(game, settings.memory)


def _has_public_form(game: PublicRules, memory: int) -> bool:
    """Whether the public form can be built: hands that sort always can, matrices while they are small.

    What is too large for it is too large for the history form too, which refuses it with its size.
    """
    if _sorts(game):
        return True
    hands = len(game.hands())
    return hands <= MOST_MATRIX_HANDS and game.histories() // hands**2 <= memory // BYTES_PER_NODE


def _sorts(game: PublicRules) -> bool:
    """Whether hands are two cards each, which are evaluated by sorting."""
    return game.hole_cards(game.hands()[0]) is not None


def _public(game: PublicRules, settings: Settings, watch: Watch | None, filled: bool) -> Solver:
    # Boards are walked one by one by the serial plans, and told apart where matrices hold the chances.
    every_board = settings.plan in ("serial", "branched") or (not _sorts(game) and settings.device == "cpu")
    isomorphism = settings.isomorphism == "on" and not every_board
    _check_public_size(game, isomorphism, settings)
    if watch is not None:
        watch(Progress(COMPILING_GAME, 0))
    public = public_game(game, isomorphism)
    _refuse_beyond(
        settings.memory,
        _public_bytes(public, settings),
        f"{game} has {public.infoset_actions:,} infoset-actions",
        "on this plan",
    )
    if settings.pruning != "none":
        for name in ("evaluator", "device"):
            if getattr(settings, name) not in ("auto", "cpu"):
                raise InputError(
                    f"{name} {getattr(settings, name)} is not for pruning, which sweeps one terminal at a time"
                )
        if settings.plan == "serial":
            raise InputError(
                "the serial plan prunes on the history form; on the public form it is the aggregated plan"
            )
        return PrunedPublicSolver(
            public, settings.rule, settings.updates, settings.how_to_prune, settings.dtype, filled=filled
        )
    return PublicSolver(
        public,
        settings.rule,
        settings.updates,
        settings.plan,
        settings.evaluator,
        settings.threads,
        settings.dtype,
        settings.device,
    )


def _check_public_size(game: PublicRules, isomorphism: bool, settings: Settings) -> None:
    """Refuse a public form that does not fit into memory before any of it is built."""
    _check_betting(game, settings.memory)
    expected = public_size(game, isomorphism)
    _refuse_beyond(
        settings.memory,
        expected.bytes + _table_bytes(expected.cells, settings),
        f"{game} has {expected.infoset_actions:,} infoset-actions",
        "on its public form",
        "`solvent train` makes an agent for the whole game" if str(game).startswith("holdem(") else SMALLER,
    )


def _check_betting(game: PublicRules, memory: int) -> None:
    """Refuse a betting tree that does not fit into memory before it is built."""
    nodes = game.betting_nodes()
    _refuse_beyond(
        memory, betting_bytes(game), f"{game} has a betting tree of {nodes:,} nodes", "on the public form"
    )


def _table_bytes(cells: int, settings: Settings) -> int:
    """Bytes of tables with so many numbers each, and of the copies of them that a rule or pruning needs."""
    dtype = np.dtype(table_dtype(settings.dtype, cells))
    tables = 3 if settings.rule.predictive else 2
    copies = tables - 1 if settings.updates == "simultaneous" else 0
    sums = SUMS.get(settings.pruning, 0)
    if settings.how_to_prune.skips and settings.rule.floors:
        sums += 1  # regrets below 0
    return (tables + copies + sums) * cells * dtype.itemsize


def _public_bytes(game: PublicGame, settings: Settings) -> int:
    """About what a solve on the public form takes: tables, copies of them, and what the plan keeps beside."""
    total = _table_bytes(game.cells, settings)
    if settings.plan in ("serial", "branched"):
        return total + WALK_BYTES_PER_CELL * game.cells
    if settings.device != "cpu":
        return total + array_bytes(game, np.dtype(table_dtype(settings.dtype, game.cells)))
    if way_of(game) == "sequences":
        return total + SEQUENCES_BYTES_PER_HISTORY * game.rules.histories()
    return total


# Refusals for their size


SMALLER = "give the game smaller parameters"


def _refuse_beyond(memory: int, needed: int, what: str, how: str, instead: str = SMALLER) -> None:
    if needed > memory:
        raise InputError(
            f"{what}, which take {size(needed)} {how}; the memory limit is {size(memory)}; {instead}"
        )


def _check_flattened(tree: GameTree, memory: int) -> None:
    if (needed := flattened_bytes(tree)) > memory:
        raise InputError(
            f"the flattened plan keeps all {tree.histories:,} histories of {tree.name} in levels, which take "
            f"{size(needed)}; the memory limit is {size(memory)}"
        )
