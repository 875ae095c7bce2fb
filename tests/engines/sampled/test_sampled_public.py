"""Monte Carlo CFR on bucket maps of public games: deals, a slow twin, known values."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from solvent.app.command_line import app
from solvent.engines.history.response import evaluate
from solvent.engines.sampled.public import SampledPublicSolver, draw_deal
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.randomness import numbered_key, random_float, stream
from solvent.games.catalogue import load_game
from solvent.strategy.solved.public_infosets import PublicInfosets
from solvent_papers.frame.experiment import Setup
from solvent_papers.frame.running import run_parts
from solvent_papers.tartanian7 import sampled_buckets
from solvent_papers.tartanian7.sampled_buckets import (
    FREE,
    HIERARCHICAL,
    LOSSLESS,
    METHODS,
    PERCENTILES,
    SAMPLED,
    Maker,
    up_to_suits,
)
from solvent_papers.tartanian7.sampled_buckets import (
    SMALL as SMALL_SIZES,
)

SMALL = "flop_holdem(suits=2,ranks=4,raises=1)"
THREE = "holdem(suits=2,ranks=5,streets=3,max_bets=1)"


def game_of(name: str, ranges=None) -> PublicGame:
    return public_game(load_game(name), isomorphism=False, ranges=ranges)


def apart(game: PublicGame) -> list[None]:
    return [None] * len(game.rounds)


def random_buckets(game: PublicGame, count: int = 5) -> list[np.ndarray]:
    draw = np.random.default_rng(0)
    return [draw.integers(0, count, here.hand.shape) for here in game.rounds]


# Deals


def chances(game: PublicGame) -> dict[tuple[int, int, int], float]:
    """The chance of every last board with two hands, from the rules, one history at a time."""
    rules, number = game.rules, {board: k for k, board in enumerate(game.rounds[-1].boards)}
    hands = {hand: k for k, hand in enumerate(game.hands)}
    found: dict[tuple[int, int, int], float] = {}
    for first, p in rules.deal():
        for second, q in rules.deal(first):
            weight = float(p * q) * game.ranges[0][hands[first]] * game.ranges[1][hands[second]]
            boards = [((), weight)]
            for _ in game.rounds[1:]:
                boards = [
                    (after, w * float(c)) for b, w in boards for after, c in rules.boards(b, first, second)
                ]
            for board, w in boards:
                if w > 0:
                    found[number[board], hands[first], hands[second]] = w
    total = sum(found.values())
    return {key: weight / total for key, weight in found.items()}


@pytest.mark.parametrize(("name", "ranged"), [("kuhn", 0), ("leduc", 0), (SMALL, 0), (SMALL, 1)])
def test_deals_are_as_likely_as_the_rules_say(name: str, ranged: int) -> None:
    game = game_of(name)
    if ranged:
        draw = np.random.default_rng(1)
        weights = tuple(np.maximum(draw.random(len(game.hands)) - 0.3, 0) for _ in (0, 1))
        game = game_of(name, weights)
    solver = SampledPublicSolver(game, apart(game))
    random = np.array([stream(5, 0, 0)])
    count = 60_000
    seen = Counter(tuple(map(int, draw_deal(solver.dealer, random)[:3])) for _ in range(count))
    exact = chances(game)
    assert seen.keys() <= exact.keys()
    # Triples are many; weigh them into 40 groups of about equal chance, and into hands of each player.
    order = sorted(exact)
    group = np.minimum(np.cumsum([exact[key] for key in order]) * 40, 39).astype(int)
    for label in (
        dict(zip(order, group.tolist(), strict=True)),
        {k: k[0] for k in order},
        {k: k[1] for k in order},
        {k: k[2] for k in order},
    ):
        expected: Counter = Counter()
        observed: Counter = Counter()
        for key, chance in exact.items():
            expected[label[key]] += chance * count
            observed[label[key]] += seen[key]
        chi = sum((observed[k] - expected[k]) ** 2 / expected[k] for k in expected if expected[k] > 0)
        freedom = max(1, len(expected) - 1)
        assert chi < freedom + 5 * (2 * freedom) ** 0.5 + 5


# Iterations


def twin(solver: SampledPublicSolver, rows: list[np.ndarray], iteration: int) -> None:
    """One iteration as the paper writes it, from the betting tree and the rules, with the same random numbers."""
    game, rules = solver.game, solver.game.rules
    random = np.array([stream(solver.seed, iteration, 0)], dtype=np.uint64)
    last, *held, _ = map(int, draw_deal(solver.dealer, random))
    boards = [last]
    for here in game.rounds[:0:-1]:
        boards.insert(0, int(here.parent[boards[0]]))
    hands = [game.hands[hand] for hand in held]
    shown = game.rounds[-1].boards[last]
    sizes = [
        max(
            solver.row[n] + 2 * (game.nodes.first_edge[n + 1] - game.nodes.first_edge[n])
            for n in np.flatnonzero(game.nodes.round == r)
        )
        for r in range(len(game.rounds))
    ]
    starts = np.cumsum([0, *(size * (int(row.max()) + 1) for size, row in zip(sizes, rows, strict=True))])
    weight = np.float32(iteration + 1)

    def row_of(node: int) -> np.ndarray:
        level, who = int(game.nodes.round[node]), int(game.nodes.player[node])
        here = game.rounds[level]
        slot = int(np.flatnonzero(here.hand[boards[level]] == held[who])[0])
        bucket = int(rows[level][boards[level], slot])
        start = starts[level] + bucket * sizes[level] + solver.row[node]
        actions = int(np.diff(game.nodes.first_edge)[node])
        return solver.table[start : start + 2 * actions].reshape(2, actions)

    def walk(betting, player: int, place: int = 0) -> float:
        """place: the node's number in the walk: the root, then the node behind each edge."""
        if betting.deals:
            return walk(betting.children[0], player, place)
        if not betting.actions:
            won = betting.stake * rules.sign(betting.symbol, shown, *hands)
            return won if player == 0 else -won
        node = next(k for k, each in enumerate(game.betting) if each is betting)
        row, first = row_of(node), int(game.nodes.first_edge[node]) + 1
        positive = np.maximum(row[0], 0)
        actions = len(positive)
        total = positive.sum()
        strategy = positive / total if total > 0 else np.full(actions, 1 / actions, np.float32)
        if betting.player != player:
            row[1] += weight * strategy
            key = numbered_key(np.uint64(stream(solver.seed, iteration, 1 + player)), place)
            draw, chosen = random_float(np.array([key], dtype=np.uint64)), actions - 1
            for action in range(actions - 1):
                draw -= strategy[action]
                if draw < 0:
                    chosen = action
                    break
            return walk(betting.children[chosen], player, first + chosen)
        found = [walk(child, player, first + action) for action, child in enumerate(betting.children)]
        values = np.array(found, dtype=np.float32)
        value = np.float32(strategy @ values)
        row[0] += weight * (values - value)
        return value

    for player in (0, 1):
        walk(rules.betting, player)


@pytest.mark.parametrize("name", ["leduc", SMALL, THREE])
def test_iterations_are_those_of_the_twin(name: str) -> None:
    game = game_of(name)
    buckets = random_buckets(game)
    fast, slow = (SampledPublicSolver(game, buckets, seed=7) for _ in (0, 1))
    for iteration in range(60):
        slow.table[:] = fast.table
        fast.run(1)
        twin(slow, buckets, iteration)
        np.testing.assert_allclose(fast.table, slow.table, rtol=1e-5, atol=1e-3)
    assert np.count_nonzero(fast.table) > 100


@pytest.mark.parametrize(("name", "bound"), [("kuhn", 0.02), ("leduc", 0.06), (SMALL, 0.15)])
def test_with_a_bucket_for_each_hand_it_solves_the_game(name: str, bound: float) -> None:
    game = game_of(name)
    solver = SampledPublicSolver(game, apart(game), seed=3)
    solver.run(100_000)
    found = solver.evaluate()
    assert found.exploitability < bound
    known = {"kuhn": -1 / 18, "leduc": -0.0856, SMALL: 0.0796}
    assert found.value[0] == pytest.approx(known[name], abs=bound)
    # The same strategy measured on histories.
    tree, place = unroll(game)
    weights = PublicInfosets(game).normalised(solver.average())[place]
    assert evaluate(tree, weights).exploitability == pytest.approx(found.exploitability, rel=1e-6)


def test_a_run_in_parts_is_one_run_and_rules_differ() -> None:
    game = game_of("leduc")
    whole, parts, plain = (SampledPublicSolver(game, apart(game), rule) for rule in ("lcfr", "lcfr", "cfr"))
    whole.run(500)
    plain.run(500)
    for part in (1, 199, 300):
        parts.run(part)
    assert (whole.table == parts.table).all()
    assert whole.touched == parts.touched > 0
    assert (plain.table != whole.table).any()
    assert plain.table.max() < whole.table.max()


def test_refusals() -> None:
    with pytest.raises(InputError, match="isomorphism off"):
        SampledPublicSolver(public_game(load_game(SMALL)), [None, None])
    with pytest.raises(InputError, match="got 1 bucket maps"):
        SampledPublicSolver(game_of(SMALL), [None])
    with pytest.raises(InputError, match="one kind of showdown"):
        SampledPublicSolver(game_of("bluff(dice=1,faces=3)"), [None])
    with pytest.raises(InputError, match="give rule cfr or lcfr"):
        SampledPublicSolver(game_of("kuhn"), [None], "dcfr")
    with pytest.raises(InputError, match="actions in a row"):
        SampledPublicSolver(game_of("leduc(max_bets=60)"), [None, None])


# Abstractions of the experiment


def test_suits_are_all_that_lossless_buckets_forget() -> None:
    game = game_of(SMALL)
    for level, here in enumerate(game.rounds):
        number = up_to_suits(game, level)
        names: dict[int, set] = {}
        for board, slot in np.ndindex(here.hand.shape):
            cards = (*game.hands[here.hand[board, slot]], *here.boards[board])
            swapped = (cards, tuple(card ^ 1 for card in cards))  # two suits: the other names
            key = min((tuple(sorted(c[:2])), tuple(sorted(c[2:]))) for c in swapped)
            names.setdefault(int(number[board, slot]), set()).add(key)
        assert all(len(each) == 1 for each in names.values())
        assert len(set().union(*names.values())) == len(names)


def test_buckets_are_as_many_as_asked_and_clusters_share_none() -> None:
    maker = Maker(SMALL_SIZES)
    size = SMALL_SIZES.buckets[0]
    assert maker.make(LOSSLESS, 0, 0) is maker.lossless
    for method in METHODS:
        made = maker.make(method, size, 1)
        assert [each.shape for each in made] == [here.hand.shape for here in maker.game.rounds]
        for each in made[1:]:
            assert len(np.unique(each)) <= size
            assert each.max() < size
    clusters = maker.public_clusters(1)
    assert len(np.unique(clusters)) == SMALL_SIZES.clusters
    flop, turn = maker.make(HIERARCHICAL, size, 1)[1:]
    of_turn = clusters[maker.game.rounds[2].parent]
    for made, cluster in ((flop, clusters), (turn, of_turn)):
        owners = {int(bucket): set() for bucket in np.unique(made)}
        for board, cluster_of_board in enumerate(cluster):
            for bucket in np.unique(made[board]):
                owners[int(bucket)].add(int(cluster_of_board))
        assert all(len(each) == 1 for each in owners.values())
    # Percentiles go by equity: no hand of a lower bucket is worth more.
    part, equity = maker.make(PERCENTILES, size, 0)[2], maker.equity[2]
    tops = [equity[part == k].max() for k in np.unique(part)]
    floors = [equity[part == k].min() for k in np.unique(part)]
    assert all(top < floor for top, floor in zip(tops[:-1], floors[1:], strict=True))


def test_the_command_measures_every_abstraction(tmp_path: Path) -> None:
    out, work = tmp_path / "results", tmp_path / "work"
    arguments = ["reproduce", "sampled-buckets", "--scale", "small", "--out", str(out), "--work", str(work)]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    rows = document["found"]["strategies"]["rows"]
    assert {path.name for path in out.iterdir()} == {
        f"sampled-buckets.{end}" for end in ("md", "json", "csv", "png")
    }
    assert {row["method"] for row in rows} == {*METHODS, LOSSLESS}
    sampled = [row for row in rows if row["solver"] == SAMPLED and row["method"] == FREE]
    assert len(sampled) == SMALL_SIZES.seeds * len(SMALL_SIZES.iterations)
    assert {f"hierarchical by free.6.{way}.high" for way in ("sampled", "full width")} <= set(
        document["figures"]
    )
    page = (out / "sampled-buckets.md").read_text()
    assert "solvent reproduce sampled-buckets --scale small" in page
    assert "real cards" in page


def test_abstractions_that_were_measured_are_not_measured_again(tmp_path: Path, monkeypatch) -> None:
    setup, measure, begun = Setup(tmp_path, True), sampled_buckets.measured, []

    def stopped(maker: Maker, setting: dict) -> list[dict]:
        begun.append(setting)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return measure(maker, setting)

    monkeypatch.setattr(sampled_buckets, "measured", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_parts(sampled_buckets.EXPERIMENT, setup)
    rows = run_parts(sampled_buckets.EXPERIMENT, setup)["strategies"].found["rows"]
    assert begun[2] == begun[3]
    assert len(begun) == 1 + SMALL_SIZES.seeds * (len(METHODS) + 1)
    assert len({tuple(row.values())[:5] for row in rows}) == len(rows)
