"""Which form and plan a game gets, and what is refused for its size."""

from __future__ import annotations

import pytest

from solvent.engines.public.solver import plan_variant
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.solving.choose import make_solver
from solvent.solving.settings import Settings
from solvent_papers.aggregation.plans import variants


@pytest.mark.parametrize(
    ("name", "options", "rule", "memory", "sentence"),
    [
        ("flop_holdem(suits=4,ranks=4)", {"isomorphism": "off"}, "pcfr+", 100_000_000, "144.6 MiB"),
        ("flop_holdem(suits=4,ranks=4)", {"isomorphism": "off"}, "cfr", 50_000_000, "97.9 MiB"),
        ("flop_holdem(suits=3,ranks=4)", {"updates": "simultaneous"}, "pcfr+", 1_000_000, "MiB"),
        ("flop_holdem(suits=3,ranks=4)", {"plan": "serial"}, "cfr", 20_000_000, "on this plan"),
        ("flop_holdem(suits=3,ranks=4)", {"device": "numpy"}, "cfr", 4_500_000, "on this plan"),
        ("leduc", {}, "cfr", 100_000, "histories, which take"),
        ("bluff(dice=2,faces=3)", {"plan": "aggregated"}, "cfr", 1_000_000, "does not fit"),
        ("openspiel:kuhn_poker", {"plan": "aggregated"}, "cfr", 10**9, "is not so"),
    ],
)
def test_what_does_not_fit_is_refused(
    name: str, options: dict[str, str], rule: str, memory: int, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        make_solver(load_game(name), Settings.of({**options, "rule": rule, "memory": memory}))


def test_a_walk_needs_no_room_for_histories() -> None:
    """13 million histories would take 900 MB."""
    solver = make_solver(
        load_game("bluff(dice=2,faces=4)"), Settings(plan="serial", rule="cfr", memory=200_000_000)
    )
    assert solver.form == "public"


def test_ways_of_the_aggregated_plan() -> None:
    ways = {
        "leduc": "sequences",
        "bluff(dice=1,faces=6)": "shapes",
        "flop_holdem(suits=2,ranks=4)": "vectors",
    }
    for name, way in ways.items():
        assert plan_variant(public_game(load_game(name), isomorphism=False)) == way


def test_every_plan_tried_on_a_game_takes_it() -> None:
    assert "shapes" not in [
        variant.plan for variant in variants(public_game(load_game("leduc"), isomorphism=False))
    ]
    assert "shapes" in [variant.plan for variant in variants(public_game(load_game("kuhn")))]
