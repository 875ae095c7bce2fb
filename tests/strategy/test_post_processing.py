"""Thresholding, purification and the New-tau family: the paper's example, the compiled form, what users write."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.post_processing import processed
from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.forms.history import compile_tree
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.strategy.agents.prior import prior_strategy
from solvent.strategy.post_processing import NONE, PostProcessing, class_of, parse_post, post_process

EXAMPLE = [0.1, 0.25, 0.15, 0.15, 0.2, 0.15, 0.0, 0.0, 0.0]
"""Fold, call, bets of 1/2, 3/4, 1, 1.5, 2 and 5 times the pot, all-in."""
KINDS = [0, 1, 2, 2, 2, 2, 2, 2, 2]
SIZES = [0, 1, 2, 2, 2, 3, 3, 3, 3]
EACH = list(range(9))


def only(place):
    return [float(place == k) for k in range(9)]


def test_the_papers_example():
    """Section 4: purification calls, although most of the mass bets; New-0.2 bets the pot."""
    assert processed(parse_post("purify"), EXAMPLE, EACH) == only(1)
    assert processed(parse_post("new(0.2)"), EXAMPLE, KINDS) == only(4)


@pytest.mark.parametrize(
    ("text", "classes", "expected"),
    [
        ("none", EACH, EXAMPLE),
        ("threshold(0.15)", EACH, [0, 0.25 / 0.9, 0.15 / 0.9, 0.15 / 0.9, 0.2 / 0.9, 0.15 / 0.9, 0, 0, 0]),
        ("threshold(0.2)", EACH, [0, 0.25 / 0.45, 0, 0, 0.2 / 0.45, 0, 0, 0, 0]),
        ("threshold(0.9)", EACH, only(1)),  # nothing is left: the most probable
        ("new(0.05)", KINDS, only(0)),  # folding has more than 0.05
        ("new(0.1)", KINDS, only(4)),  # not more than 0.1
        ("new(0.2,within=0)", KINDS, [0, 0, *(p / 0.65 for p in EXAMPLE[2:])]),
        ("new(0.2,within=0.25)", KINDS, only(4)),
        ("new(0.2,within=0.2)", KINDS, [0, 0, *(p / 0.65 for p in EXAMPLE[2:])]),
        ("new(0.2,between=0.2)", KINDS, [0, 0.25 / 0.9, 0, 0, 0.65 / 0.9, 0, 0, 0, 0]),
        ("new(0.2,classes=sizes)", SIZES, only(4)),
        ("new(0.2,classes=actions)", EACH, only(1)),
    ],
)
def test_what_is_left(text, classes, expected):
    assert processed(parse_post(text), EXAMPLE, classes) == pytest.approx(expected)


def test_ties_are_alike_and_folding_may_be_impossible():
    assert processed(parse_post("purify"), [0.4, 0.4, 0.2], [0, 1, 2]) == [0.5, 0.5, 0]
    assert processed(parse_post("new(0)"), [0.3, 0.4, 0.3], [1, 2, 2]) == [0, 1, 0]  # nothing to fold to
    assert processed(parse_post("new(0.2)"), [0.5, 0.25, 0.25], [1, 2, 2]) == [0.5, 0.25, 0.25]


@pytest.mark.parametrize("text", ["purify", "threshold(0.15)", "new(0.2)"])
def test_an_equilibrium_of_leduc_becomes_more_exploitable(text):
    """Footnote 5, by exact best responses."""
    tree = compile_tree(load_game("leduc"))
    solver = HistorySolver(tree, "cfr+", plan="serial", dtype="float64")
    solver.run(500)
    strategy = solver.average_strategy().copy()
    for k, labels in enumerate(tree.action_label):
        cells = slice(tree.infoset_cell[k], tree.infoset_cell[k + 1])
        kinds = [{"fold": 0, "call": 1, "check": 1}.get(label.split()[0], 2) for label in labels]
        strategy[cells] = processed(parse_post(text), strategy[cells].tolist(), kinds)
    assert solver.evaluate().exploitability < 0.002
    assert evaluate(tree, strategy).exploitability > 0.1


def compiled(post, probabilities, classes):
    changed, sums = np.array(probabilities), np.zeros(18)
    post_process(changed, np.array(classes, dtype=np.int64), len(changed), post.numbers, sums)
    return changed


shares = st.floats(0, 1, allow_subnormal=False)


@settings(deadline=None)
@given(
    st.builds(PostProcessing, shares, st.just("kinds"), shares, shares),
    st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 3, 5]), st.integers(1, 4)), min_size=1, max_size=15),
    st.one_of(st.none(), st.integers(0, 5)),
)
def test_the_compiled_form_is_the_plain_one(post, row, fold):
    row = row if fold is None else [(fold, 0), *row]
    if not any(weight for weight, _ in row):
        return
    total = sum(weight for weight, _ in row)
    probabilities, classes = [weight / total for weight, _ in row], [one for _, one in row]
    plain = processed(post, probabilities, classes)
    np.testing.assert_allclose(compiled(post, probabilities, classes), plain, atol=1e-12)
    assert sum(plain) == pytest.approx(1)
    assert min(plain) >= 0
    assert all(after == 0 for before, after in zip(probabilities, plain, strict=True) if before == 0)


def test_classes_of_actions():
    actions = [-1, 0, 200, 300, 900]
    sizes = [0.0, 0.0, 0.5, 1.0, 4.0]
    found = [
        [class_of(number, a, k - 2, size) for k, (a, size) in enumerate(zip(actions, sizes, strict=True))]
        for number in range(3)
    ]
    assert found == [[0, 1, 2, 3, 4], [0, 1, 2, 2, 2], [0, 1, 2, 2, 3]]


@pytest.mark.parametrize(
    "text",
    ["none", "purify", "threshold(0.15)", "new(0.2)", "new(0.2,classes=sizes,between=0.3,within=0)",
     "purify(first=false)", "new(1)"],
)  # fmt: skip
def test_texts_are_read_back(text):
    assert str(parse_post(text)) == text
    assert parse_post("none") == NONE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sharpen", "no post-processing 'sharpen'"),
        ("threshold", "needs a number"),
        ("threshold(2)", "from 0 to 1, not between=2"),
        ("new(0.2,0.3)", "cannot read"),
        ("new(0.2,near=1)", "cannot read"),
        ("purify(0.3)", "cannot read"),
        ("new(0.2,classes=colours)", "actions, kinds, sizes, not colours"),
        ("new(0.2,first=3)", "true or false"),
        ("new(0.2", "cannot read"),
        ("new(true)", "from 0 to 1"),
    ],
)
def test_what_cannot_be_read_is_refused(text, says):
    with pytest.raises(InputError, match=says):
        parse_post(text)


@given(shares, st.booleans(), st.integers(0, 12))
@settings(deadline=None)
def test_a_prior_is_a_strategy(rate, folds, raises):
    found = prior_strategy(rate, folds, raises)
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    better = prior_strategy(min(rate + 0.3, 1), folds, raises)
    if folds:
        assert better[0] <= found[0]
    if raises:
        assert better[-1] >= found[-1]
