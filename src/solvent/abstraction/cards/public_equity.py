"""Equities of hands in a public game, and how they will change with the boards to come.

Every hand that the other player can hold and every board that can follow is looked at, for any deck and any game
of the public form that ends in folds and one kind of showdown. The full deck's flops and turns take other ways:
see `solvent.abstraction.cards.features`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public.game import MATRIX, RANKED, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import compiled

Floats = NDArray[np.float64]


def equities(game: PublicGame) -> list[Floats]:
    """The equity of each hand against a random one, by round: float64[boards, slots], from 0 to 1.

    What the hand wins if both check and call to the end, ties half; over the other's range and all boards that
    can follow. Player 0's, and 1's where both hold the same. NaN for a hand that nobody can hold on the board.
    """
    won, met = _showdowns(game)
    found = [_ratio(won, met)]
    for level in range(len(game.rounds) - 1, 0, -1):
        won, met = (_to_parents(game, level, numbers) for numbers in (won, met))
        found.append(_ratio(won, met))
    return found[::-1]


def equity_histograms(game: PublicGame, level: int, bins: int) -> NDArray[np.uint16]:
    """Count, for each hand of a round, the boards of the next round on which its equity is in each bin or below.

    uint16[boards, slots, bins], cumulative, as `cluster` takes them. In the last round,
    where no board follows, it counts the hand's own equity once.
    """
    if not game.sorted_hands:
        raise InputError(f"{game.name} has no hands of cards, whose equities change with boards")
    here, ends = game.rounds[level], level + 1 == len(game.rounds)
    values = equities(game)[level if ends else level + 1]
    place = np.minimum((values * bins).astype(np.int64), bins - 1)
    state = np.arange(here.hand.size).reshape(here.hand.shape) if ends else _parent_states(game, level + 1)
    counts = np.bincount((state * bins + place).ravel(), minlength=here.hand.size * bins)
    return counts.astype(np.uint16).reshape(*here.hand.shape, bins).cumsum(axis=2, dtype=np.uint16)


def showdown_symbol(game: PublicGame) -> int:
    """The symbol of the nodes where cards decide; an error if there are several, or some before the last round."""
    nodes = game.nodes
    if game.sorted_hands:
        return RANKED
    shown = [
        int(symbol)
        for symbol in np.unique(nodes.symbol[nodes.symbol >= MATRIX])
        if (game.matrix[game.matrix_of[symbol, : _boards_of(game, symbol)]] < 0).any()
    ]
    if len(shown) != 1 or (nodes.round[nodes.symbol == shown[0]] != len(game.rounds) - 1).any():
        raise InputError(f"{game.name} does not end in folds and one kind of showdown in its last round")
    return shown[0]


def showdown_signs(game: PublicGame) -> NDArray[np.int8]:
    """Return who wins the showdown, int8[boards of the last round, hands, hands], where terminals have matrices."""
    boards = len(game.rounds[-1].boards)
    return np.sign(game.matrix[game.matrix_of[showdown_symbol(game), :boards]]).astype(np.int8)


def _boards_of(game: PublicGame, symbol: int) -> int:
    level = int(game.nodes.round[np.flatnonzero(game.nodes.symbol == symbol)[0]])
    return len(game.rounds[level].boards)


def _showdowns(game: PublicGame) -> tuple[Floats, Floats]:
    """Return what each hand wins in all on the last boards, and of how many: float64[boards, slots] each."""
    if game.isomorphism:
        raise InputError(f"{game.name}: equities go board by board; compile it with isomorphism off")
    last = game.rounds[-1]
    if game.sorted_hands:
        won, met = np.zeros(last.hand.shape), np.zeros(last.hand.shape)
        _by_strength(last.card, last.tie, game.ranges[1][last.hand], won, met)
        return won, met
    chance = game.chances(len(game.rounds) - 1)
    sign = showdown_signs(game)
    return (chance * (1 + sign) / 2).sum(axis=2), chance.sum(axis=2)


@compiled
def _by_strength(card, tie, weight, won, met):  # type: ignore[no-untyped-def]
    boards, slots = tie.shape
    for board in range(boards):
        for mine in range(slots):
            a, b = card[board, mine, 0], card[board, mine, 1]
            for yours in range(slots):
                c, d = card[board, yours, 0], card[board, yours, 1]
                if a in (c, d) or b in (c, d):
                    continue
                met[board, mine] += weight[board, yours]
                if tie[board, mine] > tie[board, yours]:
                    won[board, mine] += weight[board, yours]
                elif tie[board, mine] == tie[board, yours]:
                    won[board, mine] += weight[board, yours] / 2


def _to_parents(game: PublicGame, level: int, numbers: Floats) -> Floats:
    """Numbers of a round's slots, added up at the slots of the boards before."""
    before = game.rounds[level - 1].hand
    total = np.bincount(_parent_states(game, level).ravel(), numbers.ravel(), before.size)
    return total.astype(np.float64).reshape(before.shape)


def _parent_states(game: PublicGame, level: int) -> NDArray[np.int64]:
    """For every slot of a round, its number among the slots of all boards before."""
    here, before = game.rounds[level], game.rounds[level - 1]
    return here.parent[:, None].astype(np.int64) * before.slots + here.parent_slot


def _ratio(won: Floats, met: Floats) -> Floats:
    ratio: Floats = np.divide(won, met, out=np.full(won.shape, np.nan), where=met > 0)
    return ratio
