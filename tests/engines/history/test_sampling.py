"""Monte Carlo CFR: kernels against a slow twin, the twin against plain CFR by enumeration, and its options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from conftest import compiled
from oracles.random_games import RandomGame
from oracles.trees import children, counterfactual_values
from solvent.app.command_line import run as run_here
from solvent.engines.exploration import draw_action, minimum_probability, mix_uniform, raise_to
from solvent.engines.history.sampled.layout import alias_columns
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.rewards import reward
from solvent.engines.sampling import DECAY, Sampling
from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.randomness import STEP, mix, stream, uniform
from solvent.foundation.storage.run import Run
from solvent.games.game import CHANCE, TERMINAL
from solvent.solving.session import Limits
from solvent.solving.solve import solve
from solvent.strategy.strategy import normalise

MODES = ("external", "chance", "outcome")
EXPLORATION = 0.6

Choose = Callable[[bool, np.ndarray], int]
"""Called with whether chance moves and the probabilities: which child."""


class Twin:
    """One pass as the papers write it, with recursion; strategies stay as they are during the pass."""

    def __init__(self, tree: GameTree, mode: str, regret: np.ndarray, choose: Choose) -> None:
        self.tree, self.mode, self.choose = tree, mode, choose
        self.sigma = normalise(np.maximum(regret, 0), tree.infoset_cell)
        self.regret, self.average = np.zeros(tree.cells), np.zeros(tree.cells)

    def run(self, player: int, weight: float = 1.0) -> None:
        self.player, self.weight = player, weight
        self._visit(0, 1.0, 1.0)

    def _visit(self, row: int, reach: float, sampled: float) -> float:
        tree, who, below = self.tree, self.tree.player[row], children(self.tree, row)
        if who == TERMINAL:
            return float(tree.payoff[self.player, row])
        if who == CHANCE:
            chances = tree.chance[tree.cell[below] - tree.cells]
            return self._visit(below[self.choose(True, chances)], reach, sampled)
        cells = slice(tree.cell[below[0]], tree.cell[below[0]] + len(below))
        sigma = self.sigma[cells]
        if who == self.player:
            values = np.zeros(len(below))
            if self.mode == "outcome":
                drawn = EXPLORATION / len(below) + (1 - EXPLORATION) * sigma
                k = self.choose(False, drawn)
                values[k] = self._visit(below[k], reach, sampled * drawn[k]) / drawn[k]
            else:
                values[:] = [self._visit(child, reach, sampled) for child in below]
            value = float(sigma @ values)
            self.regret[cells] += self.weight * reach / sampled * (values - value)
            return value
        self.average[cells] += self.weight * reach / sampled * sigma
        if self.mode == "chance":
            return sum(
                p * self._visit(child, reach * p, sampled) for p, child in zip(sigma, below, strict=True) if p
            )
        return self._visit(below[self.choose(False, sigma)], reach, sampled)


def drawing(counter: int) -> Choose:
    """Choices as the kernels make them, from a stream that begins at `counter`."""

    def choose(chance: bool, probabilities: np.ndarray) -> int:
        nonlocal counter
        drawn = uniform(np.uint64(counter))
        counter = (counter + int(STEP)) % 2**64
        if chance:
            keep, other = alias_columns(probabilities)
            column = int(drawn * len(keep))
            return column if drawn * len(keep) - column < keep[column] else int(other[column])
        return int(np.searchsorted(np.cumsum(probabilities), drawn, side="right"))

    return choose


def every_choice(work: Callable[[Choose], None]) -> Iterator[float]:
    """Do the work once for every way its choices can go; yields the probability of each."""
    plan: list[tuple[int, np.ndarray]] = []
    while True:
        position = 0

        def choose(chance: bool, probabilities: np.ndarray) -> int:
            nonlocal position
            if position == len(plan):
                plan.append((int(np.flatnonzero(probabilities)[0]), probabilities))
            position += 1
            return plan[position - 1][0]

        work(choose)
        yield float(np.prod([probabilities[k] for k, probabilities in plan]))
        while plan:
            k, probabilities = plan.pop()
            later = np.flatnonzero(probabilities[k + 1 :])
            if len(later):
                plan.append((k + 1 + int(later[0]), probabilities))
                break
        else:
            return


def expected_average(tree: GameTree, sigma: np.ndarray, owner: int) -> np.ndarray:
    """sum over the histories of each infoset of chance's reach x the owner's x sigma."""
    total = np.zeros(tree.cells)

    def visit(row: int, reach: float) -> None:
        for child in children(tree, row):
            cell = tree.cell[child]
            if tree.player[row] == CHANCE:
                visit(child, reach * tree.chance[cell - tree.cells])
            elif tree.player[row] == owner:
                total[cell] += reach * sigma[cell]
                visit(child, reach * sigma[cell])
            else:
                visit(child, reach)

    visit(0, 1.0)
    return total


def some_regrets(tree: GameTree, seed: int = 1) -> np.ndarray:
    """Some of them below 0."""
    return np.random.default_rng(seed).normal(0.3, 1, tree.cells)


# What is sampled


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("game", ["kuhn", 3, 8, 11])
def test_what_a_pass_adds_is_what_plain_cfr_adds_in_expectation(mode: str, game: str | int) -> None:
    tree = compiled(game) if isinstance(game, str) else compile_tree(RandomGame(game, depth=4))
    regret = some_regrets(tree)
    sigma = normalise(np.maximum(regret, 0), tree.infoset_cell)
    for player in (0, 1):
        passes: list[Twin] = []

        def work(choose: Choose, player: int = player, passes: list[Twin] = passes) -> None:
            passes.append(Twin(tree, mode, regret, choose))
            passes[-1].run(player)

        chances = np.array(list(every_choice(work)))
        assert chances.sum() == pytest.approx(1)
        value = counterfactual_values(tree, sigma, player)
        expected = np.zeros(tree.cells)
        for infoset in np.flatnonzero(tree.infoset_player == player):
            cells = slice(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1])
            expected[cells] = value[cells] - sigma[cells] @ value[cells]
        assert chances @ [found.regret for found in passes] == pytest.approx(expected, abs=1e-12)
        average = expected_average(tree, sigma, 1 - player)
        assert chances @ [found.average for found in passes] == pytest.approx(average, abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
@pytest.mark.parametrize("game", ["leduc", "openspiel:coordinated_mp", 3, 5, 8, 17])
def test_kernels_do_what_the_slow_twin_does(mode: str, rule: str, game: str | int) -> None:
    tree = compiled(game) if isinstance(game, str) else compile_tree(RandomGame(game))
    regret, average = some_regrets(tree), np.zeros(tree.cells)
    solver = SamplingSolver(tree, rule, mode, seed=7, initial_regrets=regret)
    solver.run(5)
    for t in range(1, 6):
        for player in (0, 1):
            twin = Twin(tree, mode, regret, drawing(int(stream(7, t, player))))
            twin.run(player, t if rule == "lcfr" else 1)
            regret += twin.regret
            average += twin.average
    assert solver.saved_tables()["regret"] == pytest.approx(regret, rel=1e-9, abs=1e-9)
    assert solver.saved_tables()["average"] == pytest.approx(average, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("mode", "iterations"), [("external", 200_000), ("chance", 100_000), ("outcome", 300_000)]
)
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
def test_kuhn_is_worth_a_lost_eighteenth(mode: str, iterations: int, rule: str) -> None:
    tree = compiled("kuhn")
    solver = SamplingSolver(tree, rule, mode, seed=3)
    solver.run(iterations)
    found = solver.evaluate()
    assert found.exploitability < 0.02
    assert found.value[0] == pytest.approx(-1 / 18, abs=0.005)


@pytest.mark.parametrize(
    ("name", "value", "bound"), [("leduc", -0.085606, 0.06), ("bluff(dice=1,faces=3)", 1 / 9, 0.02)]
)
def test_external_sampling_approaches_the_full_width_solution(name: str, value: float, bound: float) -> None:
    solver = SamplingSolver(compiled(name))
    solver.run(100_000)
    found = solver.evaluate()
    assert found.exploitability < bound
    assert found.value[0] == pytest.approx(value, abs=bound)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flop_holdem(suits=2,ranks=4,raises=1)", "leduc5", "openspiel:liars_dice"])
@pytest.mark.parametrize("mode", ["external", "chance"])
def test_larger_games_are_approached_too(name: str, mode: str) -> None:
    tree = compiled(name)
    solver = SamplingSolver(tree, sampling=mode)
    solver.run(10_000)
    early = solver.evaluate().exploitability
    solver.run(90_000)
    assert solver.evaluate().exploitability < early / 2


@pytest.mark.slow
def test_float32_tables_solve_too() -> None:
    solver = SamplingSolver(compiled("leduc"), dtype="float32")
    solver.run(50_000)
    assert solver.saved_tables()["average"].dtype == np.float32
    assert solver.evaluate().exploitability < 0.1


# Random numbers


def test_draws_are_uniform_within_a_stream_and_across_streams() -> None:
    within = [uniform(np.uint64((int(stream(99, 1, 0)) + k * int(STEP)) % 2**64)) for k in range(20_000)]
    streams = [stream(seed, t, turn) for seed in range(4) for t in range(2_500) for turn in (0, 1)]
    across = [uniform(np.uint64(counter)) for counter in streams]
    for draws in (np.array(within), np.array(across)):
        assert (draws >= 0).all()
        assert (draws < 1).all()
        counts = np.bincount((draws * 64).astype(int), minlength=64)
        chi = ((counts - len(draws) / 64) ** 2).sum() / (len(draws) / 64)
        assert 30 < chi < 110, "63 degrees of freedom: outside about once in 10,000"
        assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / len(draws) ** 0.5
    assert len(set(within + across)) == len(within) + len(across)


def test_every_bit_of_a_counter_moves_about_half_of_the_result() -> None:
    for bit in range(64):
        moved = [bin(int(mix(k)) ^ int(mix(np.uint64(k ^ (1 << bit))))).count("1") for k in range(64)]
        assert 28 < np.mean(moved) < 36


def test_alias_columns_hold_their_distribution() -> None:
    for weights in ([1], [1, 1, 1], [1, 0, 2], [0, 0, 1], [3, 1, 4, 1, 5, 9, 2, 6], [1e-9, 1, 1]):
        probability = np.array(weights, dtype=float) / sum(weights)
        keep, other = alias_columns(probability)
        held = keep.copy()
        np.add.at(held, other, 1 - keep)
        assert held / len(held) == pytest.approx(probability, abs=1e-15)
        assert (held[probability == 0] == 0).all()


# One run, in parts and on threads


@pytest.mark.parametrize("mode", MODES)
def test_a_run_is_the_same_however_it_is_cut(mode: str) -> None:
    tree = compiled("leduc")
    whole, parts, other = (SamplingSolver(tree, sampling=mode, seed=seed) for seed in (5, 5, 6))
    whole.run(1_000)
    other.run(1_000)
    for part in (1, 299, 700):
        parts.run(part)
    assert (whole.table == parts.table).all()
    assert whole.nodes_touched == parts.nodes_touched
    assert (whole.table != other.table).any()


def test_a_resumed_run_is_the_whole_run(tmp_path: Path) -> None:
    asked = {"sampling": "external", "seed": 9, "regret_floor": 50.0, "exploration_decay": True}
    whole = solve("leduc", iterations=3_000, out=tmp_path / "whole", **asked)
    solve("leduc", iterations=1_234, out=tmp_path / "parts", **asked)
    parts = solve(resume=tmp_path / "parts", iterations=3_000)
    assert (str(parts.settings.rule), parts.settings.sampling, parts.settings.seed) == ("lcfr", "external", 9)
    assert parts.nodes_touched == whole.nodes_touched
    for name, table in Run.open(tmp_path / "whole").load_checkpoint()[0].items():
        assert (table == Run.open(tmp_path / "parts").load_checkpoint()[0][name]).all()
    with pytest.raises(InputError, match="began with sampling external"):
        solve(resume=tmp_path / "parts", sampling="chance")


def test_threads_share_a_table() -> None:
    solver = SamplingSolver(compiled("kuhn"), threads=3)
    solver.run(100_000)
    solver.run(1)
    assert solver.iterations == 100_001
    assert solver.evaluate().exploitability < 0.02
    assert "without locks" in " ".join(solver.notes)


def test_checks_do_not_outweigh_what_they_check() -> None:
    assert [Limits().next_check(done, 100, 1.5) for done in (0, 99, 100, 150)] == [100, 100, 150, 225]
    result = solve("leduc", sampling="external", iterations=100_000)
    assert len(result.convergence) < 30
    assert result.iterations == 100_000
    assert result.as_dict()["touched_unit"] == "histories"
    assert 30 < result.nodes_touched / result.iterations < 60


# Options


@pytest.mark.parametrize(
    ("name", "loss", "felt"),
    [
        ("y1", -10, -10),
        ("y2", -10, -15),
        ("y3", -10, -12.3125),
        ("y4", -10, -10),
        ("y4", -50, -61.19),
        ("y4", -100, -152.78),
    ],
)
def test_losses_feel_as_the_paper_says(name: str, loss: float, felt: float) -> None:
    assert reward(name, [loss, 0, 7, -loss]) == pytest.approx([felt, 0, 7, -loss], abs=0.005)
    assert reward(name, 2.0 * loss, unit=2.0) == pytest.approx(2 * felt, abs=0.01)


def test_biased_rewards_change_play_and_are_measured_in_chips() -> None:
    plain, biased = (
        solve("leduc", sampling="external", iterations=30_000, reward=name) for name in ("y1", "y3")
    )
    assert biased.settings.reward == "y3"
    assert biased.exploitability > 2 * plain.exploitability
    assert abs(biased.value) < 1
    assert any("true chips" in warning for warning in biased.warnings)


def test_exploration_decays_as_the_paper_says() -> None:
    least = [minimum_probability(DECAY, t) for t in (0, 20_000, 40_000, 50_000)]
    assert least == pytest.approx([0.01, 0.005, 0, 0])
    raised, mixed = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0])
    raise_to.py_func(raised, 0, 3, 0.01)
    mix_uniform.py_func(mixed, 0, 3, 0.01)
    assert raised == pytest.approx(np.array([0.01, 1, 0.01]) / 1.02)
    assert mixed == pytest.approx([0.01, 0.98, 0.01])


def test_an_action_of_probability_0_is_never_drawn() -> None:
    """Probabilities that sum to less than 1 after rounding, and a number beyond their sum."""
    for kind in (np.float32, np.float64):
        shares = np.array([0.0, 0.3, 0.0, 0.6999, 0.0, 0.0], dtype=kind)
        drawn = [
            draw_action.py_func(shares, 0, 6, kind(number)) for number in (0.0, 0.31, 0.99995, 0.9999999)
        ]
        assert drawn == [1, 3, 3, 3]
        assert draw_action.py_func(shares, 2, 4, kind(0.9999)) == 1


@pytest.mark.parametrize("mixes", [False, True])
def test_the_altered_strategy_enters_the_average(mixes: bool) -> None:
    tree = compiled("kuhn")
    solver = SamplingSolver(tree, "cfr", Sampling("chance", exploration_decay=True, exploration_mix=mixes))
    solver.run(5_000)
    assert solver.average_strategy().min() > 0.009 / 1.02
    solver.run(200_000)
    assert solver.evaluate().exploitability < 0.02


def test_a_regret_floor_skips_and_still_solves() -> None:
    tree = compiled("leduc")
    plain, floored = (
        SamplingSolver(tree, "cfr", Sampling("external", regret_floor=floor)) for floor in (0.0, 300.0)
    )
    for solver in (plain, floored):
        solver.run(100_000)
    assert floored.table[floored.layout.regret].min() == -300
    assert plain.table[plain.layout.regret].min() < -300
    assert floored.nodes_touched < 0.9 * plain.nodes_touched
    assert floored.evaluate().exploitability < 0.08


def test_small_initial_regrets_make_a_prior() -> None:
    tree = compiled("leduc")
    prior = normalise(np.random.default_rng(1).random(tree.cells), tree.infoset_cell)
    solver = SamplingSolver(tree)
    solver.warm_start(prior)
    assert solver.current_strategy() == pytest.approx(prior)
    solver.run(50_000)
    assert solver.evaluate().exploitability < 0.1
    with pytest.raises(InputError, match="before the first iteration"):
        solver.begin_with(prior)
    with pytest.raises(InputError, match="672 finite numbers"):
        SamplingSolver(tree, initial_regrets=[1.0])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sampling": "internal"}, "there is no sampling 'internal'"),
        ({"rule": "dcfr"}, "give rule cfr or lcfr"),
        ({"rule": "cfr+"}, "give rule cfr or lcfr"),
        ({"rule": "pcfr+"}, "give rule cfr or lcfr"),
        ({"pruning": "total"}, "leave out pruning total"),
        ({"plan": "serial"}, "plan serial is for full-width solves"),
        ({"updates": "simultaneous"}, "updates simultaneous is for full-width"),
        ({"form": "public"}, "form public is for full-width"),
        ({"device": "numpy"}, "device numpy is for full-width"),
        ({"exploration": 0.5}, "exploration changes nothing with external"),
        ({"sampling": "outcome", "exploration": 0.0}, "exploration must be above 0"),
        ({"sampling": "outcome", "regret_floor": 1.0}, "regret-floor changes nothing with outcome"),
        ({"sampling": "none", "reward": "y2"}, "reward is for sampling"),
        ({"reward": "y5"}, "there is no reward 'y5'"),
        ({"reward_unit": 2.0}, "changes nothing with reward y1"),
        ({"exploration_mix": True}, "give that too"),
        ({"regret_floor": -1.0}, "regret-floor must be a finite number, at least 0"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"threads": 0}, "at least 1"),
        ({"dtype": "int8"}, "there is no dtype"),
    ],
)
def test_refusals(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        solve("kuhn", iterations=1, **({"sampling": "external"} | options))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command line in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["solvent", *arguments])
        code = run_here()
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_the_command_line_samples(here) -> None:
    code, out, _ = here(
        "solve",
        "kuhn",
        "--sampling",
        "outcome",
        "--exploration",
        "0.5",
        "--iterations",
        "5000",
        "--seed",
        "4",
        "--json",
    )
    document = json.loads(out)
    assert code == 0
    assert (document["sampling"], document["exploration"], document["seed"]) == ("outcome", 0.5, 4)
    assert (document["plan"], document["threads"], document["rule"]) == ("sampled", 1, "lcfr")
    code, out, _ = here(
        "solve", "kuhn", "--sampling", "external", "--exploration-decay", "--iterations", "500"
    )
    assert code == 0
    assert "external sampling" in out


def test_bench_sampling_measures_each_part(here, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    asked = ["bench", "sampling", "--scale", "small", "--game", "kuhn_poker", "--repeats", "1"]
    threads = ["--threads", "3", "--seeds", "2", "--iterations", "2000"]
    code, out, _ = here(*asked, *threads, "--page", str(page), "--json")
    found = json.loads(out)["found"]
    assert code == 0
    rows = found["iterations"]["rows"]
    assert [row["sampling"] for row in rows] == ["external", "chance", "outcome"]
    assert rows[0]["ratio"] > 1
    assert (found["threads"]["seeds"], found["threads"]["threads"]) == (2, 3)
    assert [row["sampling"] for row in found["convergence"]["rows"]] == ["external", "chance", "outcome"]
    for row in found["convergence"]["rows"]:
        assert len(row["exploitability"]) == 2
        assert row["full_width_value"] == pytest.approx(-1 / 18, abs=1e-4)
    assert (
        "solvent bench sampling --scale small --game kuhn_poker --repeats 1 --threads 3" in page.read_text()
    )
    code, out, _ = here(*asked, "--part", "iterations")
    assert code == 0
    assert "kuhn_poker" in out
    assert "Convergence" not in out
