"""`history=raises`: decisions share a row exactly where their raising histories and what they offer agree."""

import pytest

from solvent.forms.betting.tree import DEAL, DECISION, build_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD
from solvent.games.betting.sizes import parse_betting

SHARED = "preset=laptop; postflop=50%,100%,a; history=raises"
UNCAPPED = "preflop=3x,a; flop=100%,a | 50%,a; turn=100%; river=100%,a; stack=30; history=raises"


def alike(tree):
    """What decisions that share a row have in common, by node, walking the tree an action at a time."""
    found, stack, all_in = {}, [(0, ((False, False),), 0)], tree.abstraction.rules.effective_stack
    while stack:
        node, streets, raises = stack.pop()
        if tree.kind[node] == DEAL:
            stack.append((node + 1, (*streets, (False, False)), 0))
            continue
        if tree.kind[node] != DECISION:
            continue
        street, player, actions = int(tree.street[node]), int(tree.player[node]), tree.actions(node)
        sizes = min(raises, len(tree.abstraction.sizes[street]) - 1)
        found[node] = (street, player, streets, sizes, FOLD in actions, len(actions), all_in in actions)
        for action, child in zip(actions, tree.children(node), strict=True):
            both = list(streets[-1])
            both[player] |= action > CALL
            stack.append((child, (*streets[:-1], tuple(both)), raises + (action > CALL)))
    return found


@pytest.mark.parametrize("betting", [SHARED, UNCAPPED])
def test_decisions_share_a_row_where_their_histories_agree(betting):
    tree = build_tree(parse_betting(betting))
    by_row, by_class = {}, {}
    for node, what in alike(tree).items():
        by_row.setdefault((int(tree.street[node]), int(tree.row[node])), set()).add(what)
        by_class.setdefault(what, set()).add(int(tree.row[node]))
    assert all(len(each) == 1 for each in (*by_row.values(), *by_class.values()))
    assert sum(tree.rows_by_street) == len(by_class) < tree.decisions


@pytest.mark.parametrize("betting", [SHARED, UNCAPPED, "fcpa"])
def test_rows_fill_a_bucket_without_gaps_or_overlaps(betting):
    tree = build_tree(parse_betting(betting))
    for street in range(4):
        here = (tree.kind == DECISION) & (tree.street == street)
        rows = sorted(set(zip(tree.row[here].tolist(), tree.action_count[here].tolist(), strict=True)))
        end = 0
        for row, actions in rows:
            assert row == end
            end += 2 * actions
        assert end == tree.bucket_floats[street] == 2 * tree.actions_by_street[street]


def test_the_tree_is_that_of_the_whole_history():
    shared, whole = (build_tree(parse_betting(SHARED.replace("raises", kind))) for kind in ("raises", "all"))
    assert (shared.edges == whole.edges).all()
    assert shared.rows([169, 1, 1, 1]) == whole.rows([169, 1, 1, 1]) == whole.stored_rows([169, 1, 1, 1])
    assert shared.stored_rows([169, 1, 1, 1]) < whole.stored_rows([169, 1, 1, 1]) / 4
    assert shared.abstraction.describe()[-1] == "remembered: who raised on which streets"


def test_another_history_is_refused():
    with pytest.raises(InputError, match="history is all or raises, not 'none'"):
        parse_betting("preset=fcpa; history=none")
