"""Locked infosets: solving around a fixed strategy, on every form and plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pytest

from conftest import compiled
from oracles.random_games import RandomGame
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.history.response import evaluate, respond
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import Pruning
from solvent.engines.public.bucketed import BucketedSolver
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.public.solver import PublicSolver
from solvent.engines.sampled.public import SampledPublicSolver
from solvent.engines.sampling import Sampling
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.public.game import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.bluff import Bluff
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.leduc import Leduc
from solvent.solving.measure import measure
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.public_infosets import PublicInfosets
from solvent.strategy.solved.tables import TableStrategy

HISTORY_PLANS = ["serial", "branched", "flattened", "sequence"]
PUBLIC = {
    "lanes": (Leduc(), "aggregated", "cpu"),
    "vectors": (FlopHoldem(suits=2, ranks=4, raises=1), "aggregated", "cpu"),
    "shapes": (Bluff(dice=1, faces=3), "shapes", "cpu"),
    "walk": (Leduc(), "serial", "cpu"),
    "arrays": (Leduc(), "aggregated", "numpy"),
}
RULES = ["cfr", "cfr+", "dcfr", "pcfr+"]


def random_weights(cells: int, seed: int) -> np.ndarray:
    """Weights of a strategy, a third of them 0."""
    draw = np.random.default_rng(seed)
    return np.where(draw.random(cells) < 1 / 3, 0.0, draw.random(cells))


def of_tree(tree: GameTree, seed: int = 0) -> TableStrategy:
    return TableStrategy.of(tree, random_weights(tree.cells, seed))


def of_game(game: PublicGame, seed: int = 0) -> TableStrategy:
    weights = random_weights(game.cells, seed)
    return TableStrategy(game.name, game.fingerprint, PublicInfosets(game), weights)


def public_solver(plan: str, rule: str = "dcfr", **options: Any) -> tuple[PublicGame, PublicSolver]:
    rules, name, device = PUBLIC[plan]
    game = public_game(rules, isomorphism=False)
    if "make_locks" in options:
        options["locks"] = options.pop("make_locks")(game)
    return game, PublicSolver(game, rule, plan=name, device=device, dtype="float64", **options)


def check_response(solver: Any, strategy: TableStrategy, player: int, tree: GameTree | None) -> None:
    """A solver whose other player is locked to a strategy finds what a best response wins against it."""
    found = solver.evaluate()
    expected = measure(strategy, tree).best_response
    assert found.value[player] == pytest.approx(expected[player], abs=1e-9)
    assert found.best_response[player] == pytest.approx(expected[player], abs=1e-9)
    # The locked player may not deviate, so that all that is left is the other player's, which is solved.
    assert found.best_response[1 - player] == pytest.approx(found.value[1 - player], abs=1e-9)
    assert found.exploitability == pytest.approx(0, abs=1e-9)
    # Free of the locks, the locked player would do better.
    assert solver.evaluate(keep_locks=False).best_response[1 - player] > found.best_response[1 - player]


# A locked player makes solving a best response


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("plan", HISTORY_PLANS)
def test_locking_a_player_gives_the_best_response_on_histories(plan: str, rule: str) -> None:
    tree = compiled("leduc(ranks=2,suits=2)")
    strategy = of_tree(tree)
    for player, updates in ((0, "alternating"), (1, "simultaneous")):
        locks = Locks.of(strategy, 1 - player)
        solver = HistorySolver(tree, rule, updates, plan, dtype="float64", locks=locks)
        solver.run(3)
        average = solver.average_strategy()
        np.testing.assert_allclose(average[locks.locked], strategy.probabilities[locks.locked], atol=1e-15)
        response = respond(tree, strategy.probabilities, player).strategy
        solver = HistorySolver(tree, rule, updates, plan, dtype="float64", locks=locks)
        solver.warm_start(response, 1000)
        solver.run(50)
        check_response(solver, strategy, player, tree)
        assert (solver.arena.table("regret")[locks.locked] == 0).all()


@pytest.mark.parametrize("plan", PUBLIC)
def test_locking_a_player_gives_the_best_response_on_the_public_form(plan: str) -> None:
    for player in (0, 1):
        game, solver = public_solver(plan, make_locks=lambda game, p=player: Locks.of(of_game(game), 1 - p))
        solver.run(600)
        found, expected = solver.evaluate(), measure(of_game(game)).best_response[player]
        assert found.best_response[player] == pytest.approx(expected, abs=1e-9)
        assert found.value[player] == pytest.approx(expected, abs=1e-3 * (1 + abs(expected)))
        assert found.best_response[1 - player] == pytest.approx(found.value[1 - player], abs=1e-9)
        free = solver.evaluate(keep_locks=False)
        assert free.best_response[1 - player] > found.best_response[1 - player]


def test_a_locked_equilibrium_leaves_the_value() -> None:
    tree = compiled("kuhn")
    plain = HistorySolver(tree, "pcfr+", dtype="float64")
    plain.run(3000)
    for player in (0, 1):
        locked = HistorySolver(tree, "dcfr", dtype="float64", locks=Locks.of(plain.strategy(), player))
        locked.run(2000)
        assert locked.evaluate().value[0] == pytest.approx(-1 / 18, abs=1e-5)
        assert locked.evaluate().best_response[1 - player] == pytest.approx(
            -1 / 18 * (1 - 2 * (1 - player)), abs=1e-5
        )


# Some infosets


@pytest.mark.parametrize("seed", range(4))
def test_partly_locked_games_are_solved_by_every_plan(seed: int) -> None:
    tree = compile_tree(RandomGame(seed, depth=5))
    strategy = of_tree(tree, seed)
    locks = Locks.of(strategy, where=lambda player, label: hash((player, len(label))) % 2 == 0)
    found = []
    for plan in HISTORY_PLANS:
        solver = HistorySolver(tree, "cfr", plan=plan, dtype="float64", locks=locks)
        solver.run(40)
        found.append(solver.average_strategy())
        np.testing.assert_allclose(found[-1], found[0], rtol=1e-9, atol=1e-12)
    # A response that keeps to the locks is the best of all strategies that do.
    both = evaluate(tree, found[0], locks)
    for player in (0, 1):
        response = respond(tree, found[0], player, locks)
        assert response.value == pytest.approx(both.best_response[player], abs=1e-12)
        mine = locks.locked & (tree.cell_player == player)
        np.testing.assert_array_equal(response.strategy[mine], locks.probabilities[mine])
        mixed = np.where(tree.cell_player == player, response.strategy, found[0])
        assert evaluate(tree, mixed).value[player] == pytest.approx(response.value, abs=1e-9)
        assert response.value <= respond(tree, found[0], player).value + 1e-12


def at_node(
    form: GameTree | PublicGame, history: str, play: Sequence[float], hands: Collection[str] | None = None
) -> Locks:
    """Lock a decision of the betting on all boards, for all hands or for those that are named."""

    def chosen(player: int, label: str, actions: tuple[str, ...]) -> Sequence[float] | None:
        hand, _, rest = label.partition("|")
        named = hands is None or hand in hands
        return play if named and rest.partition("|")[2] == history else None

    return Locks.from_function(form, chosen)


def test_public_locks_are_those_of_the_histories() -> None:
    game = public_game(Leduc(), isomorphism=False)
    tree = compiled("leduc")
    hands = [game.rules.hand_labels[hand] for hand in game.hands][:2]
    on_blocks, on_histories = (at_node(form, "kb", [0.5, 0.25, 0.25], hands) for form in (game, tree))
    assert 0 < on_blocks.locked.sum() == 3 * 2 * len(game.rounds[0].boards)
    assert on_histories.locked.any()
    first = PublicSolver(game, "cfr", dtype="float64", locks=on_blocks)
    second = HistorySolver(tree, "cfr", dtype="float64", locks=on_histories)
    first.run(60)
    second.run(60)
    for keep in (True, False):
        one, other = first.evaluate(keep), second.evaluate(keep)
        np.testing.assert_allclose(one.value, other.value, atol=1e-9)
        np.testing.assert_allclose(one.best_response, other.best_response, atol=1e-9)
    assert first.evaluate(False).exploitability > first.evaluate(True).exploitability


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
def test_runs_with_locks_may_be_cut_and_resumed(rule: str, updates: str) -> None:
    tree = compiled("kuhn")
    locks = Locks.of(of_tree(tree), where=lambda player, label: label.startswith(("K", "Q")))

    def make() -> HistorySolver:
        return HistorySolver(tree, rule, updates, dtype="float64", locks=locks)

    through, parts = make(), make()
    through.run(50)
    parts.run(17)
    saved = {name: table.copy() for name, table in parts.saved_tables().items()}
    parts = make()
    parts.load_tables(saved)
    parts.restore({"iterations": 17, "nodes_touched": 0})
    parts.run(33)
    for name, table in through.saved_tables().items():
        np.testing.assert_array_equal(parts.saved_tables()[name], table)
    np.testing.assert_array_equal(parts.current_strategy(), through.current_strategy())
    assert (through.current_strategy()[locks.locked] == locks.probabilities[locks.locked]).all()


# Nothing locked


@pytest.mark.parametrize("rule", RULES)
def test_no_lock_changes_no_bit(rule: str) -> None:
    tree = compiled("leduc(ranks=2,suits=2)")
    nothing = Locks.from_dict(tree, {})
    assert not nothing
    plain, unlocked = (HistorySolver(tree, rule, locks=locks) for locks in (None, nothing))
    plain.run(40)
    unlocked.run(40)
    for name, table in plain.saved_tables().items():
        np.testing.assert_array_equal(unlocked.saved_tables()[name], table)
    assert plain.evaluate() == unlocked.evaluate()


# Sampling, and rows that hands share


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance"])
def test_sampling_around_a_locked_player_finds_the_best_response(sampling: str) -> None:
    tree = compiled("kuhn")
    strategy = of_tree(tree, 3)
    whole = SamplingSolver(tree, "lcfr", sampling, seed=1, locks=Locks.of(strategy, 1))
    parts = SamplingSolver(tree, "lcfr", sampling, seed=1, locks=Locks.of(strategy, 1))
    whole.run(60_000)
    for count in (1, 20_000, 39_999):
        parts.run(count)
    np.testing.assert_array_equal(whole.average_strategy(), parts.average_strategy())
    expected = measure(strategy, tree).best_response[0]
    assert whole.evaluate().value[0] == pytest.approx(expected, abs=0.02)
    mine = tree.cell_player == 1
    np.testing.assert_array_equal(whole.current_strategy()[mine], strategy.probabilities[mine])


@pytest.mark.parametrize("kind", [BucketedSolver, SampledPublicSolver])
def test_rows_that_hands_share_are_locked(kind: Callable[..., Any]) -> None:
    game = public_game(Leduc(), isomorphism=False)
    buckets = [None, np.zeros(game.rounds[1].hand.shape, dtype=np.int64)]
    locks = at_node(game, "kb", [0.25, 0.75, 0.0])
    solver = kind(game, buckets, "lcfr", locks=locks)
    solver.run(200)
    probabilities = PublicInfosets(game).normalised(
        solver.average() if hasattr(solver, "average") else solver.average_strategy()
    )
    np.testing.assert_allclose(probabilities[locks.locked], locks.probabilities[locks.locked], atol=1e-15)
    assert solver.evaluate(keep_locks=False).exploitability >= solver.evaluate().exploitability
    late = next(
        game.betting[n].history for n in np.flatnonzero(game.nodes.symbol == -1) if game.nodes.round[n]
    )
    hand = game.rules.hand_labels[game.hands[0]]
    actions = len(next(b for b in game.betting if b.history == late).actions)
    with pytest.raises(InputError, match="share a bucket"):
        kind(game, buckets, "lcfr", locks=at_node(game, late, np.eye(actions)[0], [hand]))


# Refusals


def test_what_cannot_be_locked_is_refused() -> None:
    tree, game = compiled("kuhn"), public_game(Leduc())
    locks = Locks.of(of_tree(tree))
    with pytest.raises(InputError, match="the locks are for kuhn, not for leduc"):
        HistorySolver(compiled("leduc"), locks=locks)
    with pytest.raises(InputError, match="cannot be combined with locked infosets"):
        PrunedSolver(tree, locks=locks)
    with pytest.raises(InputError, match="cannot be combined with locked infosets"):
        PrunedPublicSolver(game, pruning=Pruning("total"), locks=Locks.of(of_game(game)))
    with pytest.raises(InputError, match="exploration-decay"):
        SamplingSolver(tree, sampling=Sampling("external", exploration_decay=True), locks=locks)
    label = next(of_tree(tree).rows()).infoset
    for chosen in ({"dance": 1.0}, [1.0], [0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0]):
        with pytest.raises(InputError, match=r"does not fit them|must be finite"):
            Locks.from_dict(tree, {label: chosen})
    with pytest.raises(InputError, match="cannot be put together"):
        _ = locks | Locks.of(of_game(game))


def test_locks_are_put_together() -> None:
    tree = compiled("kuhn")
    labels = [row.infoset for row in of_tree(tree).rows()]
    one, two = (Locks.from_dict(tree, {labels[k]: {}} | {labels[k]: [1.0, k]}) for k in (0, 1))
    both = one | two
    assert both.locked.sum() == 4
    assert both.digest == (two | one).digest != one.digest
    again = both | Locks.from_dict(tree, {labels[0]: [0.0, 1.0]})
    assert again.locked.sum() == 4
    assert again.digest != both.digest
