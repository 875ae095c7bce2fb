"""The explicit public tree: public nodes under numbers that never change, to which subtrees are only ever appended.

A node is a betting history on a board, and its tables have an entry for each hand. Every node but the root is
reached by exactly one edge from its parent, so *edge e is the edge that leads to node e*: `theta[e]` is the size of
that bet and row e of a table float64[nodes, hands] belongs to that action. Row 0 and the rows of nodes that chance
deals are unused.

A child's number is larger than its parent's. So a loop over the numbers upward meets parents first, a loop downward
meets children first, and no pass needs a stack. The children of a node are the list `first_child[n]`,
`next_sibling[...]`, ... up to -1, in the order in which they were added: fold, check or call, then bets.

What a terminal pays player 0, summed over the opponent's hands with their reach r, is `stake[n] x matrix[m] @ r`
with m = `matrix_of[n]`, and for player 1 `-stake[n] x matrix[m].T @ r`: matrices hold the probability of each pair
of hands with that board times 1, 0 or -1 for who wins. Chance is nowhere else: reaches are the players' own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public.game import PublicGame, public_game, terminal_matrix
from solvent.games.game import GameError
from solvent.games.public_rules import Betting, Board, Hand, PublicRules

DECISION, DEAL, FOLDED, SHOWN = 0, 1, 2, 3
"""Values of `kind`: a decision, chance that deals a board, a fold, a showdown (or any other end)."""
NO_NODE = -1


class TreeArrays(NamedTuple):
    """The tree as kernels read it; every array is [nodes] but the matrices."""

    kind: NDArray[np.int8]
    player: NDArray[np.int8]
    """The player who acts at a decision; -1 at other nodes."""
    parent: NDArray[np.int32]
    """-1 for the root."""
    first_child: NDArray[np.int32]
    next_sibling: NDArray[np.int32]
    matrix_of: NDArray[np.int32]
    """The matrix of a terminal; -1 at other nodes."""
    stake: NDArray[np.float64]
    """Chips that player 0 wins at a terminal where the matrix says 1."""
    matrix: NDArray[np.float64]
    """float64[matrices, hands, hands]: chance times sign, player 0's hand first."""


class Ends(NamedTuple):
    """The matrices of a game's terminals."""

    matrix: NDArray[np.float64]
    """float64[matrices, hands, hands], as in `TreeArrays`."""
    number: dict[tuple[Any, int], int]
    """The matrix of a symbol on a board, by the symbol and the board's number."""


class ExplicitTree:
    """An append-only public tree. `explicit_tree` makes one from rules."""

    def __init__(
        self,
        rules: PublicRules,
        hands: Sequence[Hand],
        boards: Sequence[Board],
        board_parent: NDArray[np.int32],
        chances: NDArray[np.float64],
        ends: Ends,
    ) -> None:
        self.rules = rules
        self.hands = list(hands)
        self.boards = list(boards)
        """Boards by number; 0 is the board at the root."""
        self.board_parent = board_parent
        """The board before each board; -1 for the root's."""
        self.chances = chances
        """float64[boards, hands, hands]: the probability that the two hands and this board are dealt."""
        self.ends = ends
        self.nodes = 0
        self.betting: list[Betting] = []
        """The betting node of each node."""
        self.labels: list[str] = []
        """The text of the action or of the dealt board that leads to each node."""
        self._columns: dict[str, NDArray[Any]] = {
            "kind": np.zeros(0, np.int8),
            "player": np.zeros(0, np.int8),
            "parent": np.zeros(0, np.int32),
            "first_child": np.zeros(0, np.int32),
            "last_child": np.zeros(0, np.int32),
            "next_sibling": np.zeros(0, np.int32),
            "matrix_of": np.zeros(0, np.int32),
            "stake": np.zeros(0, np.float64),
            "board": np.zeros(0, np.int32),
            "theta": np.zeros(0, np.float64),
            "last_edge": np.zeros((0, 2), np.int32),
        }

    def column(self, name: str) -> NDArray[Any]:
        """A column of the tree, [nodes]. It is out of date after nodes were added."""
        return self._columns[name][: self.nodes]

    @property
    def arrays(self) -> TreeArrays:
        """The columns that passes need. They are out of date after nodes were added."""
        columns = {name: self.column(name) for name in TreeArrays._fields[:-1]}
        return TreeArrays(**columns, matrix=self.ends.matrix)

    @property
    def kind(self) -> NDArray[np.int8]:
        """Kind of each node: DECISION, DEAL, FOLDED or SHOWN."""
        return self.column("kind")

    @property
    def player(self) -> NDArray[np.int8]:
        """The player who acts at each decision; -1 at other nodes."""
        return self.column("player")

    @property
    def parent(self) -> NDArray[np.int32]:
        """The node before each node; -1 for the root."""
        return self.column("parent")

    @property
    def board(self) -> NDArray[np.int32]:
        """The number of each node's board."""
        return self.column("board")

    @property
    def stake(self) -> NDArray[np.float64]:
        """Chips that player 0 wins at each terminal where the matrix says 1."""
        return self.column("stake")

    @property
    def theta(self) -> NDArray[np.float64]:
        """The size of the bet that leads to each node, in pots after calling; nan where it is no bet."""
        return self.column("theta")

    @property
    def last_edge(self) -> NDArray[np.int32]:
        """The last edge of each player on the way to each node, the edge to the node included: int32[nodes, 2].

        -1 where the player has not acted. By perfect recall it determines all earlier actions of the player.
        """
        return self.column("last_edge")

    @property
    def edge_player(self) -> NDArray[np.int8]:
        """The player whose action leads to each node; -1 for the root and for what chance deals."""
        found = np.full(self.nodes, -1, dtype=np.int8)
        found[1:] = self.player[self.parent[1:]]
        return found

    def children(self, node: int) -> list[int]:
        """The nodes after a node, in the order in which they were added."""
        found, child = [], int(self.column("first_child")[node])
        following = self.column("next_sibling")
        while child != NO_NODE:
            found.append(child)
            child = int(following[child])
        return found

    def subtree(self, node: int) -> NDArray[np.int64]:
        """The numbers of a node and of everything below it, ascending."""
        found = [node]
        for each in found:
            found.extend(self.children(each))
        return np.array(sorted(found), dtype=np.int64)

    def place(self, node: int) -> str:
        """A node as text: the public actions so far, and the board if there is one."""
        board = self.rules.board_label(self.boards[self.board[node]])
        history = self.betting[node].history or "start"
        return f"{history} on {board}" if board else history

    @property
    def fingerprint(self) -> str:
        """A digest of the tree as it is now and of its hands and payoffs."""
        digest = hashlib.sha256(str(self.rules).encode())
        for name in ("kind", "player", "parent", "matrix_of", "stake", "board", "theta"):
            digest.update(np.ascontiguousarray(self.column(name)).tobytes())
        digest.update(self.ends.matrix.tobytes())
        return digest.hexdigest()[:32]

    # Growing

    def graft(self, head: int, label: str, betting: Betting, theta: float = np.nan) -> int:
        """Add an action and all that follows it at a decision; returns the number of the new node, and edge.

        New nodes are numbered from `nodes` on, parents first. `theta` is the action's size if it is a bet.
        """
        if self.kind[head] != DECISION:
            raise ValueError(f"node {head} is no decision, so no action can be added to it")
        return self.append(head, label, betting, int(self.board[head]), theta)

    def append(self, parent: int, label: str, betting: Betting, board: int, theta: float) -> int:
        """Append a betting subtree on a board below a node, or as the root where `parent` is -1."""
        first = self.nodes
        waiting = [(parent, label, betting, board, theta)]
        while waiting:
            above, name, here, on, size = waiting.pop()
            node = self._append_node(above, name, here, on, size)
            if here.deals:
                after = [k for k, before in enumerate(self.board_parent) if before == on]
                below = [
                    (node, self.rules.board_label(self.boards[k]), here.children[0], k, np.nan) for k in after
                ]
            else:
                sizes = getattr(here, "fractions", ()) or (np.nan,) * len(here.actions)
                below = [
                    (node, *each, on, size)
                    for *each, size in zip(here.actions, here.children, sizes, strict=True)
                ]
            waiting.extend(reversed(below))
        return first

    def copy_bet(self, source: int, label: str, history: str, theta: float) -> NDArray[np.int64]:
        """Add a bet of theta beside the bet that leads to `source`, with a copy of the subtree behind that.

        Returns the numbers of the nodes that were copied, ascending; the numbers of their copies follow on what was
        the last node, in this order. Stakes and pots are those after the new bet: a fold to it wins what it wins
        from the old one, all others scale with 1 + 2 theta. `history` is the text of what is behind the new bet.
        """
        copied = self.subtree(source)
        first, scale = self.nodes, (1 + 2 * theta) / (1 + 2 * float(self.theta[source]))
        number = dict(zip(copied.tolist(), range(first, first + len(copied)), strict=True))
        old_history = len(self.betting[source].history)
        for node in copied.tolist():
            above, old = int(self.parent[node]), self.betting[node]
            changes: dict[str, Any] = {"children": ()}
            if old.actions:
                changes["history"] = history + old.history[old_history:]
            if hasattr(old, "pot"):
                changes["pot"] = old.pot * scale
            if not (above == source and self.kind[node] == FOLDED):
                changes["stake"] = old.stake * scale
            self._append_node(
                number.get(above, above),
                label if node == source else self.labels[node],
                replace(old, **changes),
                int(self.board[node]),
                theta if node == source else float(self.theta[node]),
            )
        return copied

    def _append_node(self, parent: int, label: str, betting: Betting, board: int, theta: float) -> int:
        node = self.nodes
        if node == len(self._columns["kind"]):
            self._make_room(max(1024, 2 * node))
        self.nodes += 1
        columns = self._columns
        for name in ("first_child", "last_child", "next_sibling", "matrix_of"):
            columns[name][node] = NO_NODE
        columns["parent"][node], columns["board"][node] = parent, board
        columns["theta"][node] = theta
        columns["last_edge"][node] = columns["last_edge"][parent] if parent != NO_NODE else -1
        columns["player"][node] = betting.player if betting.actions else -1
        columns["stake"][node] = betting.stake
        if betting.actions:
            columns["kind"][node] = DECISION
        elif betting.deals:
            columns["kind"][node] = DEAL
        else:
            columns["kind"][node] = FOLDED if betting.symbol == "fold" else SHOWN
            columns["matrix_of"][node] = self.ends.number[betting.symbol, board]
        if parent != NO_NODE:
            before = columns["last_child"][parent]
            columns["first_child" if before == NO_NODE else "next_sibling"][
                parent if before == NO_NODE else before
            ] = node
            columns["last_child"][parent] = node
            if columns["kind"][parent] == DECISION:
                columns["last_edge"][node, columns["player"][parent]] = node
        self.betting.append(betting)
        self.labels.append(label)
        return node

    def _make_room(self, room: int) -> None:
        for name, column in self._columns.items():
            larger = np.zeros((room, *column.shape[1:]), column.dtype)
            larger[: self.nodes] = column[: self.nodes]
            self._columns[name] = larger


# From rules


def explicit_tree(rules: PublicRules, root: Betting | None = None) -> ExplicitTree:
    """Make the explicit public tree of rules whose terminals have matrices, such as Kuhn, Leduc and Bluff.

    `root` is another betting tree of the same game to begin with, for instance one with fewer actions; actions that
    it lacks can be grafted later.
    """
    game = public_game(rules, isomorphism=False)
    if game.sorted_hands:
        raise GameError(f"{rules} has hole cards; the explicit public tree is for games with few hands")
    boards = [board for here in game.rounds for board in here.boards]
    chances = [game.chances(level) for level in range(len(game.rounds))]
    tree = ExplicitTree(
        rules, game.hands, boards, _board_parents(game), np.concatenate(chances), _ends(game, chances)
    )
    tree.append(NO_NODE, "", rules.betting if root is None else root, 0, np.nan)
    return tree


def _board_parents(game: PublicGame) -> NDArray[np.int32]:
    """The number of the board before each board, over all rounds; -1 for the root's."""
    parents, start = [np.array([-1], dtype=np.int32)], 0
    for before, here in zip(game.rounds, game.rounds[1:], strict=False):
        parents.append((here.parent + start).astype(np.int32))
        start += len(before.boards)
    return np.concatenate(parents)


def _ends(game: PublicGame, chances: list[NDArray[np.float64]]) -> Ends:
    """Make a matrix of probability times sign for every symbol on every board of the rounds that it ends."""
    first_board = np.cumsum([0, *(len(here.boards) for here in game.rounds)])
    found: list[NDArray[np.float64]] = []
    number: dict[tuple[Any, int], int] = {}
    terminals = {
        (int(level), betting.symbol)
        for level, betting in zip(game.nodes.round, game.betting, strict=True)
        if not betting.actions and not betting.deals
    }
    for level, symbol in sorted(terminals, key=repr):
        for k, board in enumerate(game.rounds[level].boards):
            number[symbol, int(first_board[level]) + k] = len(found)
            found.append(terminal_matrix(game.rules, symbol, board, game.hands, chances[level][k]))
    return Ends(np.array(found), number)
