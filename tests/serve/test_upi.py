"""UPI: the protocol's answers, its nodes against `SpotNode`, and a session over a pipe."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from solvent.cards.hands import HANDS
from solvent.cards.ranges import hand_label, parse_range
from solvent.foundation.errors import InputError
from solvent.games.betting.tree import spot_start
from solvent.serve.upi.session import UpiSession
from solvent.serve.upi.setup import bets_of_lines
from solvent.spots.settings import SpotSettings

TURN = [
    "set_board Td9d6hQc",
    "set_range OOP AA,KQs,76s",
    "set_range IP JJ,T9s:0.5,A5s",
    "set_pot 0 0 200",
    "set_eff_stack 900",
]
LINES = ["add_line 0 100 300 300 900", "add_line 100 900", "add_line 0 0 0 200"]
MONOTONE = [
    "set_board TdQd9d6d",
    "set_range OOP AA,KK",
    "set_range IP QQ,JJ",
    *TURN[3:],
    "add_line 100 900",
    "add_line 0 0 200",
]


class Client:
    """A session, and what it has said."""

    def __init__(self, *commands: str) -> None:
        self.said: list[str] = []
        self.session = UpiSession(self.said.extend)
        for command in commands:
            self(command)

    def __call__(self, command: str) -> list[str]:
        """The answer to a command; messages of the solver apart."""
        start = len(self.said)
        assert self.session.take(command) == (command != "exit")
        answer = [line for line in self.said[start:] if not line.startswith("SOLVER: ")]
        assert not answer or not answer[0].startswith("ERROR"), answer
        return answer

    def refusal(self, command: str) -> str:
        self.session.take(command)
        assert self.said[-1].startswith("ERROR: ")
        return self.said[-1]

    def numbers(self, command: str) -> list[np.ndarray]:
        return [np.array(line.split(), dtype=float) for line in self(command)]

    def children(self, name: str) -> list[list[str]]:
        """The lines of `show_children` for each child, without the one that counts it."""
        lines = self(f"show_children {name}")
        assert len(lines) % 8 == 0
        blocks = [lines[at : at + 8] for at in range(0, len(lines), 8)]
        assert [block[0] for block in blocks] == [f"child {number}:" for number in range(len(blocks))]
        return [block[1:] for block in blocks]


@pytest.fixture(scope="module")
def solved() -> Client:
    return Client(*TURN, *LINES, "build_tree", "go 40 steps", "wait_for_solver")


@pytest.fixture
def fresh() -> Iterator[Client]:
    client = Client(*TURN, *LINES, "build_tree")
    yield client
    client.session.close()


def test_lines_are_what_each_action_brings_chips_to() -> None:
    rules = spot_start("turn", pot=200, stack=900).rules
    assert bets_of_lines([(0, 0, 0, 0)], rules) == []
    assert bets_of_lines([(100, 100, 100, 900, 900)], rules) == ["bet 100", "bet 100, call, check, bet 800"]
    for line, what in (
        ((0, 950), "1 to 900"),
        ((100, 50), "100 or 200 to 900"),
        ((900, 900, 900), "the betting is over"),
        ((100, 150), "200 to 900"),
        ((0, 0, 0, 0, 0), "the betting is over"),
    ):
        with pytest.raises(InputError, match=what):
            bets_of_lines([line], rules)


def test_a_tree_has_exactly_the_lines_that_were_added(fresh: Client) -> None:
    def below(name: str) -> list[str]:
        return [child[0].removeprefix(f"{name}:") for child in fresh.children(name)]

    assert below("r") == ["0"]
    assert below("r:0") == ["b100", "c"]
    assert below("r:0:b100") == ["b900", "c", "f"]
    assert below("r:0:b100:b900") == ["c", "f"]
    assert below("r:0:c:b100") == ["b300", "c", "f"]
    assert below("r:0:c:b100:b300") == ["c", "f"]
    assert below("r:0:c:b100:b300:c:2c") == ["b900", "c"]
    assert below("r:0:c:c:As") == ["c"]
    assert below("r:0:c:c:As:c") == ["b200", "c"]
    assert len(below("r:0:c:c")) == 48
    assert below("r:0:b100:f") == below("r:0:b100:b900:c") == []


def test_nodes_are_described_as_clients_read_them(fresh: Client) -> None:
    assert fresh("show_node r") == ["r", "ROOT", "Td 9d 6h Qc", "0 0 200", "1 children", "flags:", ""]
    node = "r:0:c:b100:b300:c:2c"
    assert fresh(f"show_node {node}") == [
        node,
        "OOP_DEC",
        "Td 9d 6h Qc 2c",
        "300 300 200",
        "2 children",
        "flags: PIO_ALG",
        "",
    ]
    kinds = {child[0]: child[1] for child in fresh.children("r:0:b100")}
    assert list(kinds.values()) == ["OOP_DEC", "SPLIT_NODE", "END_NODE"]
    assert fresh("show_node r:0:b100:c")[4] == "48 children"


def test_hands_stand_in_the_protocols_order(solved: Client) -> None:
    order = solved("show_hand_order")[0].split()
    assert order[:8] == ["2d2c", "2h2c", "2h2d", "2s2c", "2s2d", "2s2h", "3c2c", "3c2d"]
    assert (len(order), order[-1]) == (HANDS, "AsAh")
    held = solved.numbers("show_range IP")[0]
    assert {order[hand] for hand in np.flatnonzero(held == 0.5)} == {"Tc9c", "Td9d", "Th9h", "Ts9s"}


def named_nodes(client: Client, name: str = "r:0") -> Iterator[str]:
    """Names of all nodes, after deals only those of two cards."""
    yield name
    below = [child[0] for child in client.children(name)]
    for child in below if len(below) < 40 else below[5:48:38]:
        yield from named_nodes(client, child)


def line_of(name: str) -> str:
    """The line of a node, read independently of the session."""
    words, put, street, player = [], [0, 0], [0, 0], 0
    for token in name.split(":")[2:]:
        if token[0] in "fc" and len(token) == 1:
            facing = street[1 - player] > street[player]
            words.append("fold" if token == "f" else "call" if facing else "check")
            street[player] = max(street) if token == "c" else street[player]
        elif token[0] == "b":
            kind = "raise" if max(street) else "bet"
            street[player] = int(token[1:]) - put[player]
            words.append(f"{kind} {street[player]}")
        else:
            put, street, player = [put[0] + street[0], put[1] + street[1]], [0, 0], 1
            words.append(token)
        player = 1 - player
    return ", ".join(words)


def test_every_figure_is_the_spot_nodes(solved: Client) -> None:
    names = list(named_nodes(solved))
    assert len(names) == 51
    for name in names:
        node = solved.session.solving.solution.at(line_of(name))
        if node.kind == "decision":
            rows = solved.numbers(f"show_strategy {name}")
            hands = node.numbers[node.player]
            assert np.array_equal(np.array(rows)[::-1, hands], node.strategy)
            assert all(np.delete(row, hands).sum() == 0 for row in rows)
        for player, side in enumerate(("OOP", "IP")):
            hands, reached = node.numbers[player], node.reached[player]
            weights = solved.numbers(f"show_range {side} {name}")[0]
            assert np.array_equal(weights[hands], node.weights[player])
            assert weights.sum() == pytest.approx(node.weights[player].sum())
            evs, matchups = solved.numbers(f"calc_ev {side} {name}")
            wanted = node.ev[player] - node.place.paid[player]
            assert np.array_equal(evs[hands][reached], wanted[reached])
            assert np.isfinite(evs).sum() == reached.sum()
            assert np.array_equal(matchups[hands], node.matchups[player])
            equities, same, total = solved.numbers(f"calc_eq_node {side} {name}")
            assert np.array_equal(equities[hands][reached], node.equity[player][reached])
            assert np.array_equal(same, matchups)
            held = matchups > 0
            if held.any():
                assert total[0] == pytest.approx(matchups[held] @ equities[held] / matchups.sum())


def test_evs_are_counted_from_the_root_and_sum_to_the_starting_pot(solved: Client) -> None:
    for name in named_nodes(solved):
        total = shared = 0.0
        for side in ("OOP", "IP"):
            evs, matchups = solved.numbers(f"calc_ev {side} {name}")
            held = matchups > 0
            total, shared = total + matchups[held] @ evs[held], shared + matchups.sum() / 2
        assert total == pytest.approx(200 * shared, abs=1e-3 * shared + 1e-9)
    for name in ("r:0", "r:0:c:b100", "r:0:c:b100:b300:c:2c"):
        node = solved.session.solving.solution.at(line_of(name))
        side = ("OOP", "IP")[node.player]
        played = sum(
            row * np.nan_to_num(solved.numbers(f"calc_ev {side} {child[0]}")[0])
            for row, child in zip(solved.numbers(f"show_strategy {name}"), solved.children(name), strict=True)
        )
        evs, matchups = solved.numbers(f"calc_ev {side} {name}")
        assert played[matchups > 0] == pytest.approx(evs[matchups > 0], abs=1e-3)


def test_results_are_those_of_the_root(solved: Client) -> None:
    results = dict(line.split(": ") for line in solved("calc_results"))
    assert list(results) == ["EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for"]
    evs = solved.session.solving.solution.root.summary()["ev"]
    assert [float(results["EV OOP"]), float(results["EV IP"])] == pytest.approx(evs, abs=2e-3)
    mes = float(results["OOP's MES"]) + float(results["IP's MES"])
    assert float(results["Exploitable for"]) == pytest.approx((mes - 200) / 2, abs=2e-3)


def test_frequencies_of_nodes(solved: Client) -> None:
    assert float(solved("calc_global_freq r:0")[0]) == pytest.approx(1)
    below = [float(solved(f"calc_global_freq r:0:{token}")[0]) for token in ("b100", "c")]
    assert sum(below) == pytest.approx(1)
    cards = [float(solved(f"calc_global_freq {child[0]}")[0]) for child in solved.children("r:0:c:c")]
    assert sum(cards) == pytest.approx(float(solved("calc_global_freq r:0:c:c")[0]))


def test_ranges_are_text_or_numbers() -> None:
    client = Client()
    weights = parse_range("QQ+,AKs:0.5").weights
    client("set_range OOP QQ+,AKs:0.5")
    client("set_range IP " + " ".join(map(str, weights)))
    assert client("show_range OOP") == client("show_range IP")
    assert "1,326 numbers" in client.refusal("set_range OOP 1 0 1")
    assert "no finite number" in client.refusal("set_range OOP " + " ".join(["x"] * HANDS))
    assert "from 0 to 1" in client.refusal("set_range OOP " + " ".join(["2"] * HANDS))


def test_a_locked_node_keeps_its_strategy(fresh: Client) -> None:
    always = ["1"] * HANDS, ["0"] * HANDS  # always bet, never check
    fresh("set_strategy r:0 " + " ".join(always[0] + always[1]))
    bet, check = fresh.numbers("show_strategy r:0")
    held = fresh.numbers("show_range OOP r:0")[0] > 0
    assert (bet[held] == 1).all()
    assert (check[held] == 0).all()
    fresh("lock_node r:0")
    assert fresh("show_node r:0")[5] == "flags: PIO_ALG LOCKED"
    fresh("go 30 steps")
    fresh("wait_for_solver")
    assert (fresh.numbers("show_strategy r:0")[0][held] == 1).all()
    fresh("unlock_node r:0")
    fresh("go 60 steps")
    fresh("wait_for_solver")
    assert not (fresh.numbers("show_strategy r:0")[0][held] == 1).all()


def test_the_played_strategy_is_locked_also_where_suits_stand_for_others() -> None:
    client = Client(*MONOTONE, "build_tree", "go 20 steps", "wait_for_solver", "lock_node r:0")
    before = client.numbers("show_strategy r:0")
    client("go 20 steps")
    client("wait_for_solver")
    assert np.abs(np.array(client.numbers("show_strategy r:0")) - before).max() < 1e-6
    order = client("show_hand_order")[0].split()
    spade, club = (client.numbers(f"show_strategy r:0:c:c:2{suit}")[0] for suit in "sc")
    swap = {"s": "c", "c": "s"}
    for hand in range(HANDS):
        renamed = "".join(swap.get(letter, letter) for letter in hand_label(hand))
        other = order.index(renamed if renamed in order else renamed[2:] + renamed[:2])
        assert spade[hand] == club[other]
    assert "isomorphism off" in client.refusal("lock_node r:0:c:c:2c")
    client("set_isomorphism 0 0")
    client("build_tree")
    client("lock_node r:0:c:c:2c")


def test_rake_may_be_said_after_building(fresh: Client) -> None:
    fresh("set_rake 0.05 20")
    fresh("go 5 steps")
    fresh("wait_for_solver")
    results = dict(line.split(": ") for line in fresh("calc_results"))
    assert float(results["EV OOP"]) + float(results["EV IP"]) < 191
    assert "free the tree" in fresh.refusal("set_rake 0 0")


def test_questions_are_answered_while_solving(fresh: Client) -> None:
    fresh("go")
    assert "nothing would end" in fresh.refusal("wait_for_solver")
    assert "running" in fresh.refusal("go")
    assert "running" in fresh.refusal("build_tree")
    assert "running" in fresh.refusal("lock_node r:0")
    assert len(fresh.numbers("show_strategy r:0")) == 2
    assert fresh("stop") == ["stop ok!"]
    assert "SOLVER: stopped (requested)" in fresh.said
    assert fresh("stop") == ["stop ok!"]


def test_numbers_that_do_not_carry_a_tree_are_told_in_a_sentence() -> None:
    client = Client(
        *TURN[:3], "set_pot 0 0 1", "set_eff_stack 100000000", "add_line 1 100000000", "build_tree"
    )
    assert "float32 carries 10,000 pots" in client.refusal("calc_results")
    client.session.take("set_accuracy 0.1")
    client.session.take("go")
    client.session.solving.wait()
    told, stopped = client.said[-2:]
    assert told.startswith("ERROR: up to 100,000,000 chips")
    assert stopped == "SOLVER: stopped (failed)"


def test_solving_stops_at_an_accuracy(fresh: Client) -> None:
    fresh("set_accuracy 0.01 fraction")
    fresh("go")
    fresh("wait_for_solver")
    assert "SOLVER: stopped (required accuracy reached)" in fresh.said
    assert float(fresh("calc_results")[-1].split(": ")[1]) <= 2.0005
    fresh("go 0.01 seconds")
    fresh("wait_for_solver")


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("bild_tree", "did you mean build_tree"),
        ("show_node", "takes a node"),
        ("show_node q", "a node is named r:0"),
        ("show_node r:0:b50", "b100, c"),
        ("show_node r:0:b100:f:c", "the betting is over"),
        ("show_node r:0:c:c:Td", "not on the board"),
        ("show_strategy r:0:b100:f", "nobody acts"),
        ("lock_node r:0:c:c", "nobody acts"),
        ("calc_ev BB r:0", "OOP or IP"),
        ("calc_ev OOP", "takes OOP or IP and a node"),
        ("set_strategy r:0 1 2 3", "2 x 1,326"),
        ("set_pot 10 10 200", "no bets in front"),
        ("set_pot 200", "three numbers"),
        ("set_eff_stack -3", "at least 1"),
        ("set_board AsAs2c", "twice"),
        ("set_board As", "3, 4 or 5 cards"),
        ("add_line", "a line is"),
        ("remove_line 5 5", "no line begins"),
        ("go fast", "number of steps"),
        ("set_accuracy x", "accuracy"),
        ("set_threads many", "number of threads"),
    ],
)
def test_refusals_are_one_line(solved: Client, command: str, what: str) -> None:
    assert what in solved.refusal(command)


def test_what_a_tree_needs_is_said() -> None:
    client = Client("set_board AsKsQs2c")
    assert "set_range OOP, set_range IP, set_pot, set_eff_stack" in client.refusal("build_tree")
    assert "no tree yet" in client.refusal("go")
    assert client("is_tree_present") == ["false"]
    assert client("") == client("# a comment") == []
    assert all(part.isdigit() for part in client("show_version")[0].split(".")), "clients read it as numbers"
    assert client("set_end_string THE END") == ["set_end_string ok!", "THE END"]
    assert client("is_ready") == ["is_ready ok!", "THE END"]


def test_a_hand_set_at_a_locked_node_leaves_the_others_locked(fresh: Client) -> None:
    fresh("lock_node r:0")
    order = fresh("show_hand_order")[0].split()
    aces = np.array([hand == "AhAc" for hand in order]).astype(int)
    fresh("set_strategy r:0 " + " ".join(map(str, [*aces, *(0 * aces)])))
    fresh("go 20 steps")
    fresh("wait_for_solver")
    bet = fresh.numbers("show_strategy r:0")[0]
    held = fresh.numbers("show_range OOP r:0")[0] > 0
    assert bet[order.index("AhAc")] == 1
    assert np.array_equal(bet[held & (aces == 0)], np.full(held.sum() - 1, 0.5))


def test_all_lines_of_a_tree(fresh: Client) -> None:
    lines = fresh("show_all_lines")
    assert lines[:6] == ["r", "r:0", "r:0:c", "r:0:c:c", "r:0:c:c:c", "r:0:c:c:c:c"]
    assert "r:0:c:b100:b300:c:b900:f" in lines
    named = {":".join(part for part in name.split(":") if len(part) != 2) for name in named_nodes(fresh)}
    assert set(lines) == {"r"} | named
    assert fresh("show_tree_info")[3:] == ["#Board#Td 9d 6h Qc", "#Pot#200", "#EffectiveStacks#900"]


def test_a_script_describes_a_tree(tmp_path: Path) -> None:
    script = tmp_path / "a tree.txt"
    script.write_text("\n".join(["#Type#NoLimit", "", *TURN, *LINES, "build_tree"]))
    client = Client(f'load_script_silent "{script}"')
    assert client.said == ["load_script_silent ok!"]
    assert client("is_tree_present") == ["true"]
    script.write_text("set_pot 0 0 200\nset_pott 1")
    assert f"line 2 of {script}: there is no command 'set_pott'" in client.refusal(
        f"load_script_silent {script}"
    )
    script.write_text("go")
    assert "no command for scripts" in client.refusal(f"load_script_silent {script}")
    assert "it is a folder, not a file" in client.refusal(f"load_script_silent {tmp_path}")


def test_the_size_of_a_tree_is_said_and_too_large_a_one_is_refused() -> None:
    client = Client(*TURN, *LINES)
    assert client("estimate_tree")[0].startswith(
        "decision nodes 6 on 1 board (turn), 10 on 48 boards (river)"
    )
    client.session.settings = SpotSettings(memory=100_000)
    assert "memory limit" in client.refusal("build_tree")
    assert client("is_tree_present") == ["false"]
    assert [line.split(": ")[0] for line in client("show_memory")] == [
        "Total Physical Memory",
        "Available Phys Memory",
    ]


def test_a_solve_that_nobody_listens_to_ends() -> None:
    def say(lines: list[str]) -> None:
        if lines[0] == "SOLVER: started":
            raise BrokenPipeError

    session = UpiSession(say)
    for line in [*TURN, *LINES, "build_tree", "go"]:
        session.take(line)
    session.solving.wait()
    assert session.solving.solver.iterations == 0


COMMAND = [sys.executable, "-m", "solvent.app.main", "upi", "--threads", "1"]


def test_an_interrupt_waits_for_the_iteration_that_runs() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdin.write(
            "\n".join([*TURN, *LINES, "build_tree", "go 300 seconds", "wait_for_solver", ""]).encode()
        )
        process.stdin.flush()
        while process.stdout.readline() != b"SOLVER:\n":
            pass
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().endswith(b"SOLVER: stopped (requested)\n")
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 130


def test_a_session_over_a_pipe() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def send(text: str) -> None:
            process.stdin.write(text.encode())

        def until(line: str) -> list[str]:
            lines: list[str] = []
            while not lines or lines[-1] != line:
                raw = process.stdout.readline()
                assert raw, lines
                lines.append(raw.decode().rstrip("\n"))
            return lines

        send("set_end")
        send("_string END\r\nis_re")
        assert until("END")[-2:] == ["set_end_string ok!", "END"]
        send("ady\n")
        assert until("END") == ["is_ready ok!", "END"]
        send("no_such_command 1 2\n\xff\xfe\n")
        assert until("END")[0].startswith("ERROR: there is no command")
        assert until("END")[0].startswith("ERROR")
        send("".join(f"{line}\n" for line in [*TURN, *LINES, "build_tree"]))
        for _ in range(len(TURN) + len(LINES)):
            assert until("END")[0].endswith("ok!")
        assert until("END") == ["build_tree ok!", "END"]
        send("go\n")
        assert until("END") == ["go ok!", "END"]
        assert until("SOLVER: started") == ["SOLVER: started"]
        send("show_strategy r:0\n")
        assert [len(line.split()) for line in until("END")[-3:-1]] == [HANDS, HANDS]
        send("stop\n")
        assert until("stop ok!")[-2:] == ["SOLVER: stopped (requested)", "stop ok!"]
        assert until("END") == ["END"]
        send("calc_results\ngo\nis_ready")  # ends in the middle of a solve and of a line
        process.stdin.close()
        assert "is_ready ok!" in process.stdout.read().decode()
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_stops_and_questions_at_random_moments(rounds: int) -> None:
    """Nothing hangs, every message has its end, and the numbers are those of one undisturbed solve."""
    rng, client = random.Random(rounds), Client(*TURN, *LINES, "build_tree")
    for _ in range(rounds):
        client("go" if rng.random() < 0.7 else f"go {rng.randint(1, 40)} steps")
        for question in rng.choices(["calc_results", "show_strategy r:0", "show_node r:0:c", ""], k=2):
            time.sleep(rng.random() * 0.01)
            assert not question or client(question)
        client("stop")
        assert not client.session.solving.running
    messages = [line.split(" (")[0] for line in client.said if line.startswith("SOLVER: ")]
    assert messages == ["SOLVER: started", "SOLVER: stopped"] * rounds
    solver = client.session.solving.solver
    undisturbed = Client(*TURN, *LINES, "build_tree", f"go {solver.iterations} steps", "wait_for_solver")
    assert np.array_equal(undisturbed.session.solving.solver.average, solver.average)
    assert np.array_equal(undisturbed.session.solving.solver.regret, solver.regret)
