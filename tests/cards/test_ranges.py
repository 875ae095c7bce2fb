"""Ranges: what players write, back to text, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.cards.deck import RANKS, CardError, cards_label, deck, parse_cards
from solvent.cards.equities import equity
from solvent.cards.hands import HANDS, hand_number
from solvent.cards.ranges import CLASSES_BY_EQUITY, Range, parse_range, range_label


def hands(text: str) -> dict[str, float]:
    """The classes that a range holds wholly and the weight of each, by name."""
    weights = parse_range(text).weights
    found: dict[str, set[float]] = {}
    for low in deck():
        for high in range(low + 1, 52):
            suits = "" if low // 4 == high // 4 else "s" if low % 4 == high % 4 else "o"
            name = RANKS[high // 4] + RANKS[low // 4] + suits
            found.setdefault(name, set()).add(float(weights[hand_number(low, high)]))
    return {name: min(held) for name, held in found.items() if max(held) > 0}


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("77", "77"),
        ("QQ+", "QQ KK AA"),
        ("77-99", "77 88 99"),
        ("99-77", "77 88 99"),
        ("AKs", "AKs"),
        ("KAo", "AKo"),
        ("AK", "AKs AKo"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("76s+", "76s"),
        ("KJ+", "KJs KJo KQs KQo"),
        ("A2s-A5s", "A2s A3s A4s A5s"),
        ("A5o-A2o", "A2o A3o A4o A5o"),
        ("AQ-AJ", "AJs AQs AJo AQo"),
        ("T9s-76s", "76s 87s 98s T9s"),
        ("75o-97o", "75o 86o 97o"),
        ("AKs-AKs", "AKs"),
        (" qq + ,\tAkS ", "QQ KK AA AKs"),
        ("AA,AA:0,KK", "KK"),
        ("AA, KK,", "AA KK"),
        ("5x", "54s 54o 53s 53o 52s 52o"),
        ("4XS,3xo", "43s 42s 32o"),
        ("top 2%", "AA KK QQ JJ TT"),
        ("TOP 2.5 %, AA:0", "KK QQ JJ TT 99"),
    ],
)
def test_entries_name_classes(text: str, classes: str) -> None:
    assert hands(text) == dict.fromkeys(classes.split(), 1.0)


def test_weights_and_later_entries_override() -> None:
    assert hands("QQ+:0.5,AA,76s:.25") == {"QQ": 0.5, "KK": 0.5, "AA": 1.0, "76s": 0.25}
    assert hands("AA,QQ+:0.5") == {"QQ": 0.5, "KK": 0.5, "AA": 0.5}


def test_weights_of_blocks_as_another_program_writes_them() -> None:
    assert hands("[50]AKo[/50],QQ") == {"AKo": 0.5, "QQ": 1.0}
    assert hands("[25.5]KK, QQ-JJ[/25.5],[100]A5s[/100],") == {
        "KK": 0.255,
        "QQ": 0.255,
        "JJ": 0.255,
        "A5s": 1.0,
    }
    assert hands("random:0,[50]top 1%[/50]") == {"AA": 0.5, "KK": 0.5, "QQ": 0.5}


def test_an_ace_with_any_card_is_every_ace_but_the_pair() -> None:
    np.testing.assert_array_equal(parse_range("Ax").weights, parse_range("A2+").weights)
    np.testing.assert_array_equal(parse_range("Axs,Kxo").weights, parse_range("A2s+,K2o+").weights)


def test_the_top_of_all_hands_grows_by_whole_classes() -> None:
    assert len(set(CLASSES_BY_EQUITY)) == 169
    assert sum(parse_range(label).combos for label in CLASSES_BY_EQUITY) == HANDS
    before = 0.0
    for percent in (0, 0.1, 1, 5, 10, 33.3, 50, 99.9, 100):
        combos = parse_range(f"top {percent}%").combos
        assert percent / 100 * HANDS <= combos < percent / 100 * HANDS + 13
        assert combos >= before
        before = combos
    assert before == HANDS


@pytest.mark.slow
def test_the_order_of_classes_is_by_exact_equity_against_a_random_hand() -> None:
    both = parse_range("random")
    equities = equity(both, both, threads=1).sides[0].hands
    by_class = [equities[parse_range(label).weights > 0] for label in CLASSES_BY_EQUITY]
    assert max(np.ptp(found) for found in by_class) < 1e-12
    assert (np.diff([found.mean() for found in by_class]) < -1e-6).all()


def test_every_hand() -> None:
    assert parse_range("random").combos == parse_range("100%").combos == HANDS
    assert parse_range("random:0.5,AA:0").combos == (HANDS - 6) / 2


def test_a_hand_alone() -> None:
    for text in ("AsKh", "KhAs", "askH", "As Kh"):
        weights = parse_range(text).weights
        assert np.flatnonzero(weights).tolist() == [hand_number(*parse_cards("AsKh"))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' has none somewhere"),
        ("AA,,KK", "'AA,,KK' has none somewhere"),
        (",", "has none somewhere"),
        (",AA", "has none somewhere"),
        ("AA,,", "has none somewhere"),
        ("2x", "'2x' names no hands"),
        ("Ax+", "'Ax\\+' names no hands"),
        ("top 101%", "from 0 to 100; 'top101%' has '101'"),
        ("top %", "'top%' has ''"),
        ("[50]AKo", "\\[50\\] does not end"),
        ("[50]AKo[/40]", "\\[/40\\] ends a block that has not begun"),
        ("AKo[/50]", "has not begun"),
        ("[50]AKo,[40]AKs[/40]", "begins before \\[50\\] has ended"),
        ("[50]AKo:0.5[/50]", "'AKo:0.5' has two weights"),
        ("[50][/50]", "has none somewhere"),
        ("[150]AKo[/150]", "from 0 to 100; '\\[150\\]' has '150'"),
        ("A", "'A' names no hands"),
        ("AKx", "'AKx' names no hands"),
        ("AKs0.5", "'AKs0.5' names no hands"),
        ("AA KK", "'AAKK' is no hand"),
        ("77s", "neither suited nor offsuit"),
        ("AsAs", "'AsAs' is no hand"),
        ("AsKh+", "'AsKh\\+' names no hands"),
        ("AKs-QJo", "both ends are pairs, or suited, or offsuit"),
        ("77-AKs", "both ends are pairs"),
        ("AK-77", "both ends are pairs"),
        ("AKs-QTs", "equally far apart"),
        ("15%", "'15%' names no hands"),
        ("AA:2", "'AA:2' has '2'"),
        ("AA:-0.5", "'AA:-0.5' has '-0.5'"),
        ("AA:", "'AA:' has ''"),
        ("AA:nan", "has 'nan'"),
        ("AA:1_0", "has '1_0'"),
        ("AA:0.5:1", "has '0.5:1'"),
        ("-", "names no hands"),
        ("+", "names no hands"),
    ],
)
def test_what_is_no_range_is_refused_by_its_part(text: str, said: str) -> None:
    with pytest.raises(CardError, match=said) as refusal:
        parse_range(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        "QQ+,AKs,76s:0.5",
        "random",
        "random:0.25",
        "random:0.0",
        "99-77,ATs+,A5s-A2s,KQo",
        "AK",
        "ATs+,AQo+",
        "AsKh",
        "QQ,AhAs,AsAd:0.5",
    ],
)
def test_a_range_is_written_as_players_write_it(text: str) -> None:
    written = range_label(parse_range(text).weights)
    assert set(written.split(",")) == set(text.replace("AhAs", "AsAh").split(","))


weights_of_classes = st.dictionaries(
    st.sampled_from([cards_label((a, b)) for a in deck() for b in range(a)]), st.floats(0, 1), max_size=12
)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.lists(st.floats(0, 1), min_size=1, max_size=4), weights_of_classes)
def test_labels_are_read_back_to_the_last_bit(
    seed: int, levels: list[float], alone: dict[str, float]
) -> None:
    rng = np.random.default_rng(seed)
    weights = np.zeros(HANDS)
    by_class = rng.choice(np.array([0.0, *levels]), size=(13, 13))
    for high in deck():
        for low in range(high):
            suited = high % 4 == low % 4
            place = (high // 4, low // 4) if suited else (low // 4, high // 4)
            weights[hand_number(low, high)] = by_class[place]
    for hand, weight in alone.items():
        weights[hand_number(*parse_cards(hand))] = weight
    np.testing.assert_array_equal(parse_range(range_label(weights)).weights, weights)


def test_weights_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(CardError, match="1,326 weights"):
        range_label(np.ones(5))
    for wrong in (-0.5, 1.5, np.nan):
        with pytest.raises(CardError, match="from 0 to 1"):
            Range(np.full(HANDS, wrong))
