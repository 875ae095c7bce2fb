"""The front of spots for Python, `solvent.Spot`.

spot = solvent.Spot(board="Td9d6h", oop="66+,A8s+,KQo", ip="22+,ATo+", pot=200, stack=900, bets="50%,a")
solution = spot.solve(until="0.3%")
node = solution.at("check, bet 100")
node.strategy, node.ev, node.equity, node.weights
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from solvent.cards.deck import Card, cards_label
from solvent.cards.ranges import Range
from solvent.engines.holdem.growing.candidates import parse_auto_sizes
from solvent.forms.holdem.sizing import holdem_size
from solvent.forms.holdem.tree import holdem_tree
from solvent.foundation.html import facts_html
from solvent.foundation.machine import cores
from solvent.foundation.progress import Interrupted, Stop, Watch
from solvent.games.holdem.cards import Sizes
from solvent.games.holdem.spot import NAMES, check_used
from solvent.games.holdem.spot import Spot as SpotRules
from solvent.solving.option_types import SpotOptions, with_options
from solvent.solving.session import watched
from solvent.solving.settings import given_options
from solvent.spots.cost import describe_size
from solvent.spots.locks import parse_lock
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent.spots.work import with_limits


class Spot:
    """Heads-up hold'em from a flop, turn or river on, ready to be solved.

    board: three to five cards, 'Td9d6h'. oop, ip: the ranges, such as '66+,A8s+,KQo:0.5', or `Range`. pot, stack:
    whole chips in the middle and behind each player. bets, raises and further sizes such as `oop_turn_bets` and
    `cap=3`: see the page on spots. rake: a fraction of every pot, '5%'. rake_cap: chips at most. locks: strategies
    of hands at decisions, `['check, bet 100: 22-55 = fold:0.25, call:0.75']`. sizes: 'auto' lets the solver find
    the bets, 'auto,from=25%,to=300%,steps=16,at-most=16,nodes=33.3333%' says among which.

    >>> spot = Spot("Td9d6hQc2s", "QQ,76s", "JJ,T9s", pot=200, stack=900, bets="50%,a")
    >>> solution = spot.solve(until="0.1%", dtype="float64", threads=1)
    >>> node = solution.at("check, bet 100")
    >>> node.actions, node.pot, node.strategy.shape
    (('fold', 'call', 'raise 300', 'raise 900'), 300, (4, 6))
    """

    def __init__(
        self,
        board: str | Sequence[Card],
        oop: str | Range,
        ip: str | Range,
        pot: int,
        stack: int,
        bets: Sizes | None = None,
        raises: Sizes | None = None,
        *,
        rake: float | str = "0%",
        rake_cap: float | None = None,
        least_bet: int = 1,
        check_down: bool = False,
        locks: Sequence[str] = (),
        sizes: str | None = None,
        **further: Any,
    ) -> None:
        self._given: dict[str, Any] = {"board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack}
        self._given |= {"bets": bets, "raises": raises, "rake": rake, "rake_cap": rake_cap}
        self._given |= {"least_bet": least_bet, "check_down": check_down, **further}
        auto = None if sizes is None else parse_auto_sizes(sizes)
        self._sizes = None if auto is None else str(auto)
        self.rules = SpotRules(**(self._given if auto is None else auto.start_of(self._given)))
        """The spot as a game; where the solver finds the bets, as it is to begin with."""
        given = [name for name, value in self._given.items() if value is not None]
        check_used(given, self.rules.root_board, self.rules.rake)
        self.locks = (locks,) if isinstance(locks, str) else tuple(locks)
        tree = holdem_tree(self.rules.betting)
        for text in self.locks:
            parse_lock(text, self.rules, tree)

    def __str__(self) -> str:
        return str(self.rules)

    def __repr__(self) -> str:
        return f"<{self.rules}>"

    def _repr_html_(self) -> str:
        rules = self.rules
        facts = dict(zip(NAMES, map(str, rules.ranges), strict=True))
        facts |= {"pot": f"{rules.pot:,}", "stack": f"{rules.stack:,}"}
        facts |= {name: str(value) for name, value in rules.sizes.items()}
        if self.locks:
            facts["locks"] = "; ".join(self.locks)
        return facts_html(cards_label(rules.root_board), facts)

    def lock(self, lock: str) -> Spot:
        """Copy the spot with one more lock, such as `check, bet 100: 22-55 = fold:0.25, call:0.75`."""
        return Spot(**self._given, locks=(*self.locks, lock), sizes=self._sizes)

    @with_options(SpotOptions)
    def cost(self, **options: Unpack[SpotOptions]) -> str:
        """Say the size and time of a solve in a sentence; `options` are those of `solve`, such as dtype."""
        settings = with_limits(SpotSettings.of({"threads": cores(), **_named(options)}))
        expected = holdem_size(self.rules, settings.isomorphism == "on")
        return describe_size(self.rules, expected, settings)

    @with_options(SpotOptions)
    def solve(
        self,
        *,
        out: str | Path | None = None,
        watch: Watch | None = None,
        progress: bool = False,
        stop: Stop | None = None,
        **options: Unpack[SpotOptions],
    ) -> SpotSolution:
        """Solve the spot.

        The first limit of `until` (exploitability, '0.3%' of the pot or chips), `iterations` and `time` ('90s')
        stops the solve; without a limit it is 0.3 % of the pot. Other options: `rule`, `threads` (all cores),
        `dtype` (float32, float64 or int16), `isomorphism` (True or False), `every` (iterations between
        measurements) and `memory` ('8G'). `out` names a new folder to keep the run in. `progress` shows how far
        the solve is, on standard error or in a notebook; `watch` is called with each `Progress`. From any thread
        `stop.request()` ends the solve after the running iterations. Ctrl-C raises `Interrupted` then, with the
        solution so far as its `result`.
        """
        settings = SpotSettings.of({"threads": cores(), "sizes": self._sizes, **_named(options)})
        try:
            with watched(watch, progress) as shown:
                return SpotSolution(
                    solve_spot(self._given, settings, self.locks, shown, stop, out=out).solver
                )
        except Interrupted as stopped:
            if stopped.result is not None:
                stopped.result = SpotSolution(stopped.result.solver)
            raise


def _named(options: SpotOptions) -> dict[str, Any]:
    """Drop options that are None; isomorphism may be True or False."""
    given = given_options(options)
    if isinstance(given.get("isomorphism"), bool):
        given["isomorphism"] = "on" if given["isomorphism"] else "off"
    return given
