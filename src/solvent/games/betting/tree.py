"""Betting trees of games, built from the rules and the sizes of `tree_sizes`: spots and no-limit hold'em.

A tree is made in two steps. First the *positions*: two lines that leave the same player to act with the same chips
in are followed by the same betting, so a position is made once, however many lines lead to it, and knows how many
nodes hang from it. A tree that is too large is refused there, with its size. Then the tree of `Betting` nodes, in
which every decision has a history of its own.

Actions are named `fold`, `check`, `call`, `bet 100` and `raise 300`; the amount is what the player has put in on
the street, also where it is all-in. A history is the names of the actions so far, `check, bet 100, call`. An
all-in before the last street is a chain of `deals` nodes that ends in a showdown.

>>> from solvent.games.betting.tree_sizes import parse_tree_sizes
>>> tree = betting_tree(spot_start("river", pot=200, stack=900), parse_tree_sizes({"bets": "50%,a"}))
>>> tree.actions, tree.children[1].actions
(('check', 'bet 100', 'bet 900'), ('fold', 'call', 'raise 300', 'raise 900'))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor, inf
from typing import Any, NamedTuple

from solvent.foundation.errors import InputError
from solvent.games.betting.action_words import ALL_IN, amount_of
from solvent.games.betting.rules import (
    CALL,
    FOLD,
    STREETS,
    HoldemRules,
    HoldemState,
    Legal,
    act,
    legal,
    start,
)
from solvent.games.betting.sizes import GEOMETRIC, NO_CAP, TOTAL, BetSize, size_total
from solvent.games.betting.tree_sizes import IP, OOP, Line, TreeSizes
from solvent.games.game import TERMINAL
from solvent.games.public_rules import FOLD as FOLDED
from solvent.games.public_rules import MOST_BETS, MOST_BETTING_NODES, SHOWDOWN, Betting

MOST_FOLLOWED = 200_000
"""The most actions of all positions, followed in a few seconds; trees of two million nodes seldom have more."""
TOLERANCE = 1e-9
"""Chips by which floating-point numbers may miss equality when sizes are merged."""


@dataclass(frozen=True)
class TreeStart:
    """The start of the betting, and the rake."""

    rules: HoldemRules
    """Rules in which both players have the shorter stack: nobody can lose more."""
    street_names: tuple[str, ...]
    """The street of each round of betting, the first one at the root."""
    rake: float = 0.0
    """The part of the pot that the house takes."""
    rake_cap: float = inf
    """The most that the house takes, in chips."""

    def __post_init__(self) -> None:
        if not 0 <= self.rake <= 1 or not self.rake_cap >= 0:
            raise InputError(
                f"the rake is a part of the pot from 0 to 1 and its cap at least 0 chips, not {self.rake} and "
                f"{self.rake_cap}"
            )
        if self.rules.stacks[0] != self.rules.stacks[1]:
            raise InputError(f"the shorter stack counts for both players, not {self.rules.stacks}")
        if self.rules.pot + sum(self.rules.blinds) < 1:
            raise InputError("the betting starts with chips in the pot, at least 1; the pot is empty")


def spot_start(
    street: str,
    pot: int,
    stack: int,
    *,
    least_bet: int = 1,
    rake: float = 0.0,
    rake_cap: float = inf,
) -> TreeStart:
    """A street of a hand in progress: player 0 is out of position and acts first on every street.

    pot: chips in the middle. stack: the shorter stack behind. least_bet: chips of the least bet.
    """
    if street not in STREETS:
        raise InputError(f"a spot starts on one of {', '.join(STREETS)}, not {street!r}")
    for name, chips in (("pot", pot), ("stack", stack), ("least bet", least_bet)):
        if isinstance(chips, bool) or not isinstance(chips, int) or chips < 1:
            raise InputError(f"the {name} of a spot is a whole number of chips, at least 1, not {chips!r}")
    names = STREETS[STREETS.index(street) :]
    rules = HoldemRules((stack, stack), (0, 0), len(names), pot=pot, least_bet=least_bet, first_to_act=(0, 0))
    return TreeStart(rules, names, rake, rake_cap)


def nolimit_start(
    stack: int, blinds: tuple[int, int], rounds: int = len(STREETS), *, ante: int = 0
) -> TreeStart:
    """A hand from the blinds on: player 0 has the button and acts first before the flop, player 1 first later.

    stack: the shorter stack, antes and blinds included. ante: chips that each player posts besides the blinds.
    """
    behind = stack - ante
    return TreeStart(HoldemRules((behind, behind), blinds, rounds, pot=2 * ante), STREETS[:rounds])


def betting_tree(start: TreeStart, sizes: TreeSizes, *, check_down: bool = False) -> Betting:
    """Build the betting tree; refuse one that is too large or, unless `check_down`, that leaves nobody a choice."""
    root = _Positions(start, sizes).root()
    if root.nodes > MOST_BETTING_NODES:
        raise InputError(
            f"this betting tree has {root.nodes:,} nodes, and at most {MOST_BETTING_NODES:,} are built; give fewer "
            f"sizes or a cap"
        )
    if not root.chooses and not check_down:
        raise InputError(
            "these sizes leave no action but checking and calling; give a size of bet that is legal"
        )
    return _unroll(root, "")


def tree_nodes(start: TreeStart, sizes: TreeSizes) -> int:
    """Count the nodes of the betting tree without building it; deals and terminals are nodes too."""
    return _Positions(start, sizes).root().nodes


class _Place(NamedTuple):
    """A decision in a tree: all on which the betting that follows depends."""

    state: HoldemState
    base: int
    """Chips that each player had put in when the street began."""
    donks: bool
    """Whether the player opens the street and the other made the last bet or raise of the street before."""
    line: Line | None
    """The actions so far where something is changed after them, else None."""


class _Position(NamedTuple):
    """A node of the tree apart from its history, and the size of the tree below."""

    nodes: int
    chooses: bool
    """Whether anybody has more than one action here or below."""
    player: int = TERMINAL
    actions: tuple[str, ...] = ()
    children: tuple[_Position, ...] = ()
    deals: bool = False
    symbol: Any = None
    stake: float = 0.0
    rake: float = 0.0


def _unroll(position: _Position, history: str) -> Betting:
    """The tree below a position that `history` leads to."""
    _, _, player, actions, children, deals, symbol, stake, rake = position
    if actions:
        before = history + ", " if history else ""
        below = tuple([_unroll(child, before + name) for name, child in zip(actions, children, strict=True)])
        return Betting(player, actions, below, history)
    if deals:
        return Betting(deals=True, children=(_unroll(children[0], history),))
    return Betting(symbol=symbol, stake=stake, rake=rake)


class _Positions:
    """All positions of a tree, made once each."""

    def __init__(self, start: TreeStart, sizes: TreeSizes) -> None:
        added, removed = (
            tuple(_with_amounts(line, start.rules) for line in lines)
            for lines in (sizes.added, sizes.removed)
        )
        self.start, self.sizes = start, replace(sizes, added=added, removed=removed)
        self.first_street = STREETS.index(start.street_names[0])
        self.known: dict[_Place, _Position] = {}
        self.followed = 0
        """Actions followed so far."""
        lines = added + removed
        self.changed = {line[:length] for line in lines for length in range(len(line))}
        """Lines with a change at their end or later. What follows them is made for each of them alone."""
        self.added, self.removed = _last_actions(added), _last_actions(removed)
        self.met: set[Line] = set()
        """Lines of `changed` that the tree has."""

    def root(self) -> _Position:
        """The position at the start."""
        self._check()
        state = start(self.start.rules)
        if state.over:
            raise InputError("the blinds put a player all-in, so nobody has anything to decide")
        found = self._decision(_Place(state, 0, False, () if self.changed else None))
        for line in self.sizes.added + self.sizes.removed:
            if line[:-1] not in self.met:
                raise InputError(
                    f"the line {_text(line)!r} cannot be changed: nobody acts after its other actions"
                )
        return found

    def _check(self) -> None:
        rules, sizes = self.start.rules, self.sizes
        lists = [street for position in sizes.lists for street in position]
        every = [
            size for one in lists for group in (one.bets, one.donks or (), *one.raises) for size in group
        ]
        if not rules.blinds[1] and any(size.unit == TOTAL for size in every):
            raise InputError("there are no blinds here, so a size cannot be written in big blinds (bb)")
        for line in sizes.added:
            if line[-1] in ("fold", "check", "call"):
                raise InputError(f"a line that is added ends in a bet or raise, and {_text(line)!r} does not")
            if line[-1] in self.removed.get(line[:-1], ()):
                raise InputError(f"the line {_text(line)!r} is both added and removed")

    # Decisions

    def _decision(self, place: _Place) -> _Position:
        """The position of a player to act."""
        if place in self.known:
            return self.known[place]
        if place.state.raises > MOST_BETS:
            raise InputError(
                f"these sizes let players bet and raise more than {MOST_BETS} times on a street; give a cap or "
                f"larger sizes"
            )
        allowed = legal(place.state)
        actions = self._actions(place, allowed)
        self.followed += len(actions)
        if self.followed > MOST_FOLLOWED:
            raise InputError(
                f"this betting tree has more than {MOST_FOLLOWED:,} actions at positions with different chips; "
                f"give fewer sizes or a cap"
            )
        children = tuple(
            [self._after(place, name, act(place.state, action, allowed)) for name, action in actions.items()]
        )
        nodes = 1 + sum([child.nodes for child in children])
        chooses = len(children) > 1 or any(child.chooses for child in children)
        found = self.known[place] = _Position(nodes, chooses, place.state.player, tuple(actions), children)
        return found

    def _actions(self, place: _Place, allowed: Legal) -> dict[str, int]:
        """The actions by name: fold, check or call, and bets or raises from the least on."""
        state, base, donks, line = place
        street = self.first_street + state.street
        position = OOP if state.player == self.start.rules.first_to_act[1] else IP
        lists = self.sizes.lists[position][street]
        sizes: tuple[BetSize, ...]
        if state.raises:
            sizes = lists.raises_after(state.raises - 1)
        else:
            sizes = lists.donks if donks and lists.donks is not None else lists.bets
        found = {"fold": FOLD} if allowed.fold else {}
        found["call" if allowed.call else "check"] = CALL
        for total in raise_totals(state, allowed, base, street, sizes, self.sizes):
            found[_raise_name(state, base, total)] = total
        return found if line is None else self._edited(found, place, line, allowed)

    def _edited(self, actions: dict[str, int], place: _Place, line: Line, allowed: Legal) -> dict[str, int]:
        """The actions after adding and removing what the lines of the sizes say at the end of this line."""
        self.met.add(line)
        state, base = place.state, place.base
        for removed in self.removed.get(line, ()):
            if removed not in actions:
                raise InputError(
                    f"the line {_text((*line, removed))!r} cannot be removed: the actions there are "
                    f"{', '.join(actions)}"
                )
            actions = {name: action for name, action in actions.items() if name != removed}
        if not actions:
            raise InputError(f"removing lines leaves no action after {_text(line)!r}")
        for added in self.added.get(line, ()):
            total = base + int(added.split()[1])
            if added in actions:
                raise InputError(f"the tree has the line {_text((*line, added))!r} already")
            if not allowed.min_raise <= total <= allowed.max_raise or added != _raise_name(
                state, base, total
            ):
                legal_ones = (
                    f"legal are {_raise_name(state, base, allowed.min_raise)} to {allowed.max_raise - base}"
                    if allowed.min_raise
                    else "nobody can bet or raise there"
                )
                raise InputError(f"the line {_text((*line, added))!r} cannot be added: {legal_ones}")
            actions[added] = total
        return dict(sorted(actions.items(), key=lambda one: one[1]))

    # What follows an action

    def _after(self, place: _Place, name: str, after: HoldemState) -> _Position:
        if after.over:
            return self._end(after)
        found = self._decision(self._place_after(place, name, after))
        return found if after.street == place.state.street else _deal(found)

    def _place_after(self, place: _Place, name: str, after: HoldemState) -> _Place:
        """The place after an action that does not end the hand."""
        state, base, _, line = place
        longer = None if line is None else (*line, name)
        kept = longer if longer in self.changed else None
        if after.street == state.street:
            return _Place(after, base, False, kept)
        return _Place(after, after.paid[0], state.raises > 0 and state.player == after.player, kept)

    def _end(self, state: HoldemState) -> _Position:
        """The end of a hand: a terminal, after the deals of the streets that an all-in leaves without betting."""
        pot, matched = self.start.rules.pot, state.at_stake
        stake, rake = pot / 2 + matched, min(self.start.rake * (pot + 2 * matched), self.start.rake_cap)
        if not state.showdown:
            return _Position(1, False, symbol=FOLDED, stake=-stake if state.folded == 0 else stake, rake=rake)
        found = _Position(1, False, symbol=SHOWDOWN, stake=stake, rake=rake)
        for _ in range(state.street + 1, len(self.start.street_names)):
            found = _deal(found)
        return found


def _deal(below: _Position) -> _Position:
    return _Position(below.nodes + 1, below.chooses, children=(below,), deals=True)


def _raise_name(state: HoldemState, base: int, total: int) -> str:
    """A bet or raise by what the player has put in on the street."""
    return f"{'raise' if state.paid[1 - state.player] > base else 'bet'} {total - base}"


def _with_amounts(line: Line, rules: HoldemRules) -> Line:
    """A line in which bets and raises of everything have their amounts; the rules are followed to know them."""
    state, base, names = start(rules), 0, list[str]()
    for name in line:
        if ALL_IN not in line[len(names) :] or state.over:
            break
        allowed = legal(state)
        if name == ALL_IN and not allowed.max_raise:
            raise InputError(f"the line {_text(line)!r} cannot be changed: all-in is no bet or raise there")
        named = _raise_name(state, base, allowed.max_raise) if name == ALL_IN else name
        total = base + amount_of(named)
        if amount_of(named) and not allowed.min_raise <= total <= allowed.max_raise:
            raise InputError(f"the line {_text(line)!r} cannot be changed: {named} is not legal there")
        if named == "fold" and not allowed.fold:
            break
        names.append(named)
        after = act(state, total if amount_of(named) else FOLD if named == "fold" else CALL, allowed)
        if after.street != state.street:
            base = after.paid[0]
        state = after
    if ALL_IN in line[len(names) :]:
        raise InputError(f"the line {_text(line)!r} cannot be changed: nobody acts after its other actions")
    return (*names, *line[len(names) :])


def _last_actions(lines: tuple[Line, ...]) -> dict[Line, list[str]]:
    """The last actions of lines by the actions before."""
    found: dict[Line, list[str]] = {}
    for line in lines:
        found.setdefault(line[:-1], []).append(line[-1])
    return found


def _text(line: Line) -> str:
    return ", ".join(line) or "the start"


# Sizes in chips


def raise_totals(
    state: HoldemState, allowed: Legal, base: int, street: int, lists: Iterable[BetSize], sizes: TreeSizes
) -> list[int]:
    """The totals of the bets or raises that a player considers, ascending.

    Every size becomes a total (`size_total`), rounded half up, at least the least legal raise and at most all-in;
    all-in is added where it is small; a total that leaves little behind, or puts most of the stack in, becomes
    all-in; equal totals merge; and totals near a larger one are dropped. The chips of thresholds are rounded as
    sizes are. On random spots postflop-solver builds the same trees, thresholds and all.

    allowed: what is legal in `state`. base: what each player had put in when the street began. street: its place
    among `STREETS`. lists: the sizes that hold here.
    """
    cap = sizes.caps[street]
    if not allowed.min_raise or (cap != NO_CAP and state.raises >= cap):
        return []
    rules = state.rules
    faced, most = state.paid[1 - state.player], allowed.max_raise
    pot = rules.pot + 2 * faced
    found = set()
    for unit, value, bets in lists:
        if unit == GEOMETRIC:
            bets = max(1, (bets or rules.streets - state.street) - max(0, state.raises - 1))
        exact = size_total(unit, value, bets, faced, base, pot, rules.blinds[1], most)
        if exact > faced:
            found.add(max(_rounded(min(exact, most)), allowed.min_raise))
    if most - faced <= _rounded(sizes.add_all_in * pot):
        found.add(most)
    if sizes.force_all_in:
        found = {
            most if most - total <= _rounded(sizes.force_all_in * (rules.pot + 2 * total)) else total
            for total in found
        }
    if sizes.all_in_above:
        limit = sizes.all_in_above * (rules.stacks[0] + rules.pot / 2) - rules.pot / 2
        found = {most if total > limit else total for total in found}
    return _merged(sorted(found), faced, pot, sizes.merging) if sizes.merging else sorted(found)


def _merged(totals: list[int], faced: int, pot: int, threshold: float) -> list[int]:
    """Totals from the largest down, leaving out those whose pot with the bet is near that of the last one kept."""
    kept: list[int] = []
    for total in reversed(totals):
        if not kept or pot + kept[-1] - faced > (1 + threshold) * (pot + total - faced) + TOLERANCE:
            kept.append(total)
    return kept[::-1]


def _rounded(chips: float) -> int:
    return floor(chips + 0.5)
