"""The size of a game's public form, counted before anything is built.

The rules say how many boards and hands each round has (`PublicRules.round_sizes`) and how many nodes the betting
tree has (`PublicRules.betting_nodes`). From these and the betting tree itself follow the numbers of infosets, of
infoset-actions and of bytes, so that a game that is too large is refused at once rather than after it fills memory.
"""

from __future__ import annotations

from typing import NamedTuple

from solvent.games.public_rules import Betting, PublicRules

BYTES_PER_BETTING_NODE = 512
"""A betting node: the rules' object and the columns of the public form."""
BYTES_PER_SLOT = 14
"""A hand on a board of the public form: `Round.hand`, `parent_slot`, `card` and `tie`."""
BYTES_PER_SORTED_HAND = 60
"""A hand on a board while the hands of a round are sorted by strength."""
BYTES_PER_BOARD = 160
"""A board as a tuple of cards in the lists of the public form."""


class PublicSize(NamedTuple):
    """Size of a public form before it is built."""

    infosets: int
    """Decision nodes x the hands that can be held on each board."""
    infoset_actions: int
    cells: int
    """Numbers in each table: infoset-actions, and those of hands that cannot be held."""
    bytes: int
    """Approximate bytes of building the form at its peak, without the solver's tables."""


def betting_bytes(rules: PublicRules) -> int:
    """The bytes of the betting tree alone: check them before `public_size`, which builds that tree."""
    return BYTES_PER_BETTING_NODE * rules.betting_nodes()


def public_size(rules: PublicRules, isomorphism: bool = True) -> PublicSize:
    """Count the public form of a game; with `isomorphism` as `public_game` uses it."""
    rounds = rules.round_sizes(isomorphism)
    decisions, actions, symbols = _betting_counts(rules.betting, len(rounds))
    infosets = sum(n * size.held for n, size in zip(decisions, rounds, strict=True))
    infoset_actions = sum(n * size.held for n, size in zip(actions, rounds, strict=True))
    cells = sum(n * size.boards * size.hands for n, size in zip(actions, rounds, strict=True))
    form = betting_bytes(rules)
    form += sum((BYTES_PER_BOARD + BYTES_PER_SLOT * size.hands) * size.boards for size in rounds)
    hands = rules.hands()
    if rules.hole_cards(hands[0]) is not None:
        form += max(BYTES_PER_SORTED_HAND * size.boards * len(hands) for size in rounds[1:])
    else:
        # A matrix for every symbol on every board of its round, and the chances of pairs on every board.
        matrices = sum((1 + len(ends)) * size.boards for ends, size in zip(symbols, rounds, strict=True))
        form += 8 * matrices * len(hands) ** 2
    return PublicSize(infosets, infoset_actions, cells, form)


def _betting_counts(root: Betting, rounds: int) -> tuple[list[int], list[int], list[set[object]]]:
    """For each round: its decision nodes, their actions, and the distinct symbols of its terminals."""
    decisions, actions = [0] * rounds, [0] * rounds
    symbols: list[set[object]] = [set() for _ in range(rounds)]
    stack = [(root, 0)]
    while stack:
        node, level = stack.pop()
        if node.deals:
            stack.append((node.children[0], level + 1))
        elif node.actions:
            decisions[level] += 1
            actions[level] += len(node.actions)
            stack.extend((child, level) for child in node.children)
        else:
            symbols[level].add(node.symbol)
    return decisions, actions, symbols
