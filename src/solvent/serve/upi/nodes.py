"""Names of nodes: `r:0` is the first decision, `r:0:b100:c:8h` what follows a bet to 100, a call and a card.

`f` is a fold, `c` a check or call, `b100` a bet or raise that brings the player's chips since the root to 100.
Actions stand from the largest bet down to the fold, the other way round than in betting trees.
"""

from __future__ import annotations

from collections.abc import Sequence

from solvent.cards.deck import card_label
from solvent.foundation.errors import InputError
from solvent.games.holdem.spot import Spot
from solvent.games.public_rules import Betting
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import SpotSolution

ROOT, FIRST = "r", "r:0"
DECISIONS = ("OOP_DEC", "IP_DEC")


def find_node(solution: SpotSolution, name: str) -> SpotNode:
    """The node of a name; `r` is the first decision."""
    if name in (ROOT, FIRST):
        return solution.root
    if not name.startswith(FIRST + ":"):
        raise InputError(f"a node is named r:0 and what follows, such as r:0:b100:c:8h, not {name!r}")
    node, before = solution.root, FIRST
    for token in name.removeprefix(FIRST + ":").split(":"):
        word = _word(node, token)
        if word is None:
            raise InputError(f"nothing called {token!r} follows {before}: {_choices(node)}")
        before += ":" + token
        node = solution.at(", ".join((*node.place.words, word)))
    return node


def children(name: str, node: SpotNode) -> list[tuple[str, SpotNode]]:
    """The nodes below one and their names: actions from the largest bet to the fold, or cards from 2c on."""
    below = list(node.children().items())
    if node.kind == "deal":
        return [(f"{name}:{card}", after) for card, after in below]
    return [(f"{name}:{_token(action, _base(node))}", after) for action, after in below[::-1]]


def all_lines(spot: Spot) -> list[str]:
    """The names of all nodes without their cards, the shorter part of a line before the longer."""
    found = [ROOT]

    def walk(node: Betting, name: str, put: tuple[int, int], base: int) -> None:
        while node.deals:
            node, base = node.children[0], put[0]
        found.append(name)
        for action, child in zip(node.actions, node.children, strict=True):
            token = _token(action, base)
            total = put[1 - node.player] if token == "c" else int(token[1:] or put[node.player])
            after = (total, put[1]) if node.player == 0 else (put[0], total)
            walk(child, f"{name}:{token}", after, base)

    walk(spot.betting, FIRST, (0, 0), 0)
    return found


def describe(name: str, node: SpotNode, locked: bool = False) -> list[str]:
    """Answer to `show_node`: name, kind, board, chips of OOP, of IP and at the start, children and flags."""
    below = {"decision": len(node.actions), "deal": len(node.solver.game.rules.deck) - len(node.cards)}
    kind = {"decision": DECISIONS[node.player or 0], "deal": "SPLIT_NODE"}.get(node.kind, "END_NODE")
    flags = ["PIO_ALG"] * (node.kind == "decision") + ["LOCKED"] * locked
    return _description(name, kind, node, below.get(node.kind, 0), flags)


def describe_root(node: SpotNode) -> list[str]:
    """Answer to `show_node r`, `node` being the first decision."""
    return _description(ROOT, "ROOT", node, 1, ["ISOMORPHISM_ON"] * node.solver.game.isomorphism)


def _description(name: str, kind: str, node: SpotNode, below: int, flags: Sequence[str]) -> list[str]:
    oop, ip = node.place.paid
    return [
        name,
        kind,
        " ".join(map(card_label, node.cards)),
        f"{oop} {ip} {node.solver.game.rules.starting_pot}",
        f"{below} children",
        " ".join(["flags:", *flags]),
        "",
    ]


def _word(node: SpotNode, token: str) -> str | None:
    """The action or card of a line that a token stands for; None if there is none."""
    if node.kind == "deal":
        left = {card_label(card) for card in node.solver.game.rules.deck if card not in node.cards}
        return token if token in left else None
    return {_token(action, _base(node)): action for action in node.actions}.get(token)


def _token(action: str, base: int) -> str:
    """An action's part of a name; `base` is what each player had put in when the street began."""
    if action == "fold":
        return "f"
    if action in ("check", "call"):
        return "c"
    return f"b{base + int(action.rpartition(' ')[2])}"


def _base(node: SpotNode) -> int:
    """Chips that each player had put in when the street began."""
    return node.place.paid[0] - node.place.street_paid[0]


def _choices(node: SpotNode) -> str:
    """Description of what may follow a node, for a refusal."""
    if node.kind == "deal":
        return "a card comes there that is not on the board"
    if node.kind != "decision":
        return "the betting is over there"
    return f"the actions there are {', '.join(_token(action, _base(node)) for action in node.actions[::-1])}"
