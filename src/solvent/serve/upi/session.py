"""A session of UPI: lines in, answers out.

Every line is a command and gets one answer: what it asked for, `<command> ok!`, or a line that begins with
`ERROR:`. The end string, if there is one, follows every answer. A running solve also says `SOLVER: started`,
`SOLVER: stopped (...)` and, in between, reports that begin with `SOLVER:`; they never stand inside an answer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvent import __version__
from solvent.cards.deck import card_label
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.sizing import holdem_size
from solvent.foundation.errors import InputError
from solvent.foundation.machine import cores
from solvent.foundation.names import did_you_mean
from solvent.foundation.storage.reading import read_text
from solvent.serve.upi.nodes import FIRST, ROOT, all_lines, children, describe, describe_root, find_node
from solvent.serve.upi.numbers import decimal, hand_order, parse_strategy, spread, whole, written
from solvent.serve.upi.setup import TreeSetup, player_number
from solvent.serve.upi.solving import Goal, Solving
from solvent.spots.cost import check_memory, describe_size
from solvent.spots.locks import node_lock
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.settings import SpotSettings

Say = Callable[[Sequence[str]], None]
"""Takes lines that belong together; called by one thread at a time."""
Command = Callable[[Sequence[str]], list[str] | None]
"""Takes the words after a command's name, and returns its answer; None stands for `<command> ok!`."""

WITHOUT_EFFECT = (
    "is_ready",
    "set_recalc_accuracy",
    "set_always_recalc",
    "set_info_freq",
    "set_algorithm",
    "add_info_line",
    "reset_tree_info",
    "load_all_nodes",
    "ignore_mem_check",
)
"""Commands that clients send as they start and that have nothing to change here."""
SETUP = tuple(name for name in vars(TreeSetup) if name.startswith(("set_", "add_", "remove_", "clear_")))
"""Commands that describe the next tree."""
NOT_IN_SCRIPTS = ("go", "stop", "wait_for_solver", "exit", "load_script_silent", "set_end_string")
"""Commands that speak besides answering, or change how answers look."""
MEGABYTE = 1 << 20
LONGEST_LINE = 4 * MEGABYTE
"""Letters of the longest line that is obeyed, enough for 1,326 numbers for each of a hundred actions."""


class UpiSession:
    """A session; `say` is given every block of lines, answers and messages, in order."""

    def __init__(self, say: Say, settings: SpotSettings | None = None) -> None:
        self._say, self._speaking = say, threading.Lock()
        self.settings = settings or SpotSettings()
        self.end_string = ""
        self.setup = TreeSetup()
        self.threads = self.settings.threads
        self.accuracy: tuple[float, bool] | None = None
        """The exploitability at which solves stop, and whether it is a fraction of the pot rather than chips."""
        self.solving: Solving | None = None
        self.locks: dict[tuple[int, int], NodeLock] = {}
        """By node and board."""
        self.commands: dict[str, Command] = {
            name.removeprefix("_do_"): getattr(self, name) for name in dir(self) if name.startswith("_do_")
        }
        self.commands |= {name: partial(self._set_up, name) for name in SETUP}
        self.commands |= dict.fromkeys(WITHOUT_EFFECT, lambda words: None)

    # Speaking

    def take(self, line: str) -> bool:
        """Obey a line and answer it; returns False once the session is over. Empty lines and `#` have no answer."""
        words = line.split()
        if not words or words[0].startswith("#"):
            return True
        if words[0] == "exit":
            self.close()
            return False
        started = None
        try:
            _check_length(line)
            answer = self._answer(words[0], words[1:])
            started = self.solving if words[0] == "go" else None
        except InputError as refusal:
            answer = [f"ERROR: {refusal}"]
        self._speak(answer, True)
        if started is not None:
            started.go(started.goal)
        return True

    def _answer(self, command: str, words: Sequence[str]) -> list[str]:
        if command not in self.commands:
            raise InputError(f"there is no command {command!r}{did_you_mean(command, self.commands)}")
        found = self.commands[command](words)
        return [f"{command} ok!"] if found is None else found

    def close(self) -> None:
        """Stop what is running."""
        if self.solving is not None:
            self.solving.stop()

    def _speak(self, lines: Sequence[str], ends: bool) -> None:
        with self._speaking:
            self._say([*lines, self.end_string] if ends and self.end_string else lines)

    # General

    def _do_show_version(self, words: Sequence[str]) -> list[str]:
        return [__version__]  # clients read it as numbers with points between

    def _do_set_end_string(self, words: Sequence[str]) -> None:
        self.end_string = " ".join(words)

    def _do_reset_end_string(self, words: Sequence[str]) -> None:
        self.end_string = ""

    def _do_set_threads(self, words: Sequence[str]) -> None:
        self.threads = (
            whole(_one_word(words, "how many threads, 0 for all cores"), "number of threads") or cores()
        )

    def _do_set_accuracy(self, words: Sequence[str]) -> None:
        if len(words) not in (1, 2) or words[1:] not in ([], ["chips"], ["fraction"]):
            raise InputError(
                "set_accuracy takes an exploitability and, if it is one, the word fraction (of the pot)"
            )
        number = decimal(words[0], "accuracy")
        self.accuracy = (number, words[-1] == "fraction") if number else None

    def _do_show_hand_order(self, words: Sequence[str]) -> list[str]:
        return [hand_order()]

    def _do_show_memory(self, words: Sequence[str]) -> list[str]:
        page = os.sysconf("SC_PAGE_SIZE")
        total, free = (os.sysconf(name) * page // MEGABYTE for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"))
        return [f"Total Physical Memory: {total} MB", f"Available Phys Memory: {free} MB"]

    def _do_load_script_silent(self, words: Sequence[str]) -> None:
        """Commands from a file, which are answered only where one is refused; they end with the first refusal."""
        path = Path(" ".join(words).strip('"'))
        for number, line in enumerate(read_text(path).splitlines(), start=1):
            _check_length(line)
            command, *rest = line.split() or ["#"]
            if command in NOT_IN_SCRIPTS:
                raise InputError(f"line {number} of {path} has {command}, which is no command for scripts")
            if not command.startswith("#"):
                try:
                    self._answer(command, rest)
                except InputError as refusal:
                    raise InputError(f"line {number} of {path}: {refusal}") from None

    # The tree

    def _set_up(self, command: str, words: Sequence[str]) -> None:
        """Change the next tree; rake also changes a tree that has not been solved yet."""
        before = self.setup.rake
        getattr(self.setup, command)(words)
        if self.solving is not None and self.setup.rake != before:
            if self.solving.running or self.solving.solver.iterations:
                self.setup.rake = before
                raise InputError(
                    "the rake of a tree that is being solved cannot be changed; free the tree first"
                )
            self._build()

    def _do_build_tree(self, words: Sequence[str]) -> None:
        self._idle()
        self._build()

    def _build(self) -> None:
        spot = self.setup.spot()
        self._do_free_tree(())
        check_memory(holdem_size(spot, self.setup.isomorphism), self.settings)
        game = holdem_game(spot, self.setup.isomorphism)
        solver = HoldemSolver(game, self.settings.rule, self.threads, self.settings.dtype)
        self.solving = Solving(SpotSolution(solver), self._speak)

    def _do_free_tree(self, words: Sequence[str]) -> None:
        self._idle()
        self.solving, self.locks = None, {}

    def _do_estimate_tree(self, words: Sequence[str]) -> list[str]:
        spot = self.setup.spot()
        return [describe_size(spot, holdem_size(spot, self.setup.isomorphism), self.settings)]

    def _do_is_tree_present(self, words: Sequence[str]) -> list[str]:
        return ["false" if self.solving is None else "true"]

    def _do_show_effective_stack(self, words: Sequence[str]) -> list[str]:
        return [str(self._tree().solution.spot.stack)]

    def _do_show_all_lines(self, words: Sequence[str]) -> list[str]:
        return all_lines(self._tree().solution.spot)

    def _do_show_tree_info(self, words: Sequence[str]) -> list[str]:
        spot = self._tree().solution.spot
        facts = {"Type": "NoLimit", "Range0": spot.ranges[0], "Range1": spot.ranges[1]}
        facts |= {
            "Board": " ".join(map(card_label, spot.root_board)),
            "Pot": spot.pot,
            "EffectiveStacks": spot.stack,
        }
        return [f"#{name}#{fact}" for name, fact in facts.items()]

    # Solving

    def _do_go(self, words: Sequence[str]) -> None:
        solving = self._tree()
        self._idle()
        if len(words) > 2 or (len(words) == 2 and words[1] not in ("seconds", "steps")):
            raise InputError("go takes nothing, or a number and the word seconds or steps")
        steps = seconds = limit = None
        if words and words[-1] == "seconds":
            seconds = decimal(words[0], "number of seconds")
        elif words:
            steps = whole(words[0], "number of steps", 1)
        if self.accuracy is not None:
            number, fraction = self.accuracy
            limit = number * solving.solution.spot.pot if fraction else number
        solving.goal = Goal(steps, seconds, limit)

    def _do_stop(self, words: Sequence[str]) -> None:
        self.close()

    def _do_wait_for_solver(self, words: Sequence[str]) -> None:
        if self.solving is not None and self.solving.running:
            if self.solving.goal == Goal():
                raise InputError(
                    "nothing would end this solve: give go seconds or steps, or set_accuracy, or stop it"
                )
            self.solving.wait()

    def _do_calc_results(self, words: Sequence[str]) -> list[str]:
        solving = self._tree()
        with solving.paused():
            return solving.results(solving.solver.evaluate())

    # Nodes

    def _do_show_node(self, words: Sequence[str]) -> list[str]:
        name, node = self._node(words)
        return describe_root(node) if name == ROOT else describe(name, node, self._locked(node))

    def _do_show_children(self, words: Sequence[str]) -> list[str]:
        name, node = self._node(words)
        below = [(FIRST, node)] if name == ROOT else children(name, node)
        lines: list[str] = []
        for number, (called, child) in enumerate(below):
            lines += [f"child {number}:", *describe(called, child, self._locked(child))]
        return lines

    def _do_show_strategy(self, words: Sequence[str]) -> list[str]:
        node = self._node(words)[1]
        player = node.player
        if player is None:
            raise InputError("nobody acts at that node, so it has no strategy")
        with self._tree().paused():
            rows = node.strategy
        return [written(spread(node.numbers[player], row, 0.0)) for row in rows[::-1]]

    def _do_show_range(self, words: Sequence[str]) -> list[str]:
        if len(words) == 1:
            held = self.setup.ranges[player_number(words[0])]
            if held is None:
                raise InputError(f"set_range has not said the range of {words[0].upper()}")
            return [written(held.weights)]
        player, node = self._of_player(words)
        with self._tree().paused():
            return [written(spread(node.numbers[player], node.weights[player], 0.0))]

    def _do_calc_ev(self, words: Sequence[str]) -> list[str]:
        player, node = self._of_player(words)
        with self._tree().paused():
            # The protocol counts what a player has put in since the root as lost.
            values = node.ev[player] - node.place.paid[player]
            return self._by_hand(player, node, values)

    def _do_calc_eq_node(self, words: Sequence[str]) -> list[str]:
        player, node = self._of_player(words)
        with self._tree().paused():
            values = node.equity[player]
            return [*self._by_hand(player, node, values), written([node.average(player, values)])]

    def _do_calc_global_freq(self, words: Sequence[str]) -> list[str]:
        node = self._node(words)[1]
        with self._tree().paused():
            return [written([node.solver.chance_at(node.place.node) * node.matchups[0].sum()])]

    def _by_hand(self, player: int, node: SpotNode, values: NDArray[np.float64]) -> list[str]:
        """A line of values, NaN for hands that are not there, and a line of matchups."""
        numbers, reached = node.numbers[player], node.reached[player]
        return [
            written(spread(numbers, np.where(reached, values, np.nan), np.nan)),
            written(spread(numbers, node.matchups[player], 0.0)),
        ]

    # Strategies that are given

    def _do_set_strategy(self, words: Sequence[str]) -> None:
        node = self._node(words[:1])[1]
        self._idle()
        given = node_lock(node, parse_strategy(node, words[1:]))
        node.solver.lock([*self.locks.values(), given])
        key = node.place.node, node.place.board
        if key in self.locks:  # other hands stay locked as they were
            play = np.where(np.isnan(given.play), self.locks[key].play, given.play)
            self.locks[key] = replace(given, play=play)
        node.solver.lock(list(self.locks.values()))

    def _do_lock_node(self, words: Sequence[str]) -> None:
        node = self._node(words)[1]
        self._idle()
        if node.player is None:
            raise InputError("nobody acts at that node, so it cannot be locked")
        lock = node_lock(node, node.strategy)
        wanted = self.locks | {(node.place.node, node.place.board): lock}
        node.solver.lock(list(wanted.values()))
        self.locks = wanted

    def _do_unlock_node(self, words: Sequence[str]) -> None:
        node = self._node(words)[1]
        self._idle()
        self.locks.pop((node.place.node, node.place.board), None)
        node.solver.lock(list(self.locks.values()))

    # Inside

    def _locked(self, node: SpotNode) -> bool:
        return (node.place.node, node.place.board) in self.locks

    def _tree(self) -> Solving:
        """The tree that was built. Its numbers are read while no iteration runs, in `paused`."""
        if self.solving is None:
            raise InputError("there is no tree yet; build_tree makes one")
        return self.solving

    def _idle(self) -> None:
        if self.solving is not None and self.solving.running:
            raise InputError("the solver is running; stop it first")

    def _node(self, words: Sequence[str]) -> tuple[str, SpotNode]:
        name = _one_word(words, "a node such as r:0:b100:c:8h")
        return name, find_node(self._tree().solution, name)

    def _of_player(self, words: Sequence[str]) -> tuple[int, SpotNode]:
        if len(words) != 2:
            raise InputError("this command takes OOP or IP and a node such as r:0:b100:c:8h")
        return player_number(words[0]), find_node(self._tree().solution, words[1])


def _check_length(line: str) -> None:
    if len(line) > LONGEST_LINE:
        raise InputError(f"a line has at most {LONGEST_LINE:,} letters")


def _one_word(words: Sequence[str], what: str) -> str:
    if len(words) != 1:
        raise InputError(f"this command takes {what}")
    return words[0]
