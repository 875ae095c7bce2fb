"""The claims of Brown and Sandholm, SAEF, in the order of the paper.

Criteria on figures were stated before the figures were measured; they are on the page `saef`.
"""

from __future__ import annotations

from solvent_papers.ledger.claims import (
    Above,
    All,
    Below,
    Claim,
    Every,
    Increasing,
    Paper,
    not_built,
    not_tested,
)

PAGE = "saef"
WAITS = not_tested("the figure has not been measured yet")
FIXED = ("branch-2", "branch-3", "branch-5")
AUTOMATED = ("recovery-1.0", "recovery-1.01", "transfer")
BOUNDS = "tests/engines/test_regret_bounds.py"
THEORY = "tests/engines/explicit/test_growing_theory.py"
RECOVERY = "tests/engines/explicit/test_recovery.py"
TRANSFER = "tests/engines/explicit/test_transfer.py"
LOOKING = "tests/engines/explicit/test_looking.py"
CONTINUOUS = "tests/engines/explicit/test_continuous.py"
LEDUC = "tests/games/test_continuous_leduc.py"

BACKGROUND = (
    Claim(
        "Section 1",
        "no-limit Texas hold'em has more than 1e165 nodes and 1e161 information sets (cited)",
        missing=not_tested("the sizes of that game are not counted here"),
    ),
    Claim(
        "Abstract",
        "early on it improves as quickly as coarse abstractions do",
        "while Branch-2 still improves, {early.recovery-1.01 by branch-2:.2f} of its exploitability on average",
        Below("early.recovery-1.01 by branch-2", 1.1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Abstract",
        "later it converges to a better solution than fine-grained abstractions do",
        "{recovery-1.01 by branch-5:.2f} of Branch-5's exploitability at the last nodes that both touched",
        Below("recovery-1.01 by branch-5", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 2",
        "R(I) <= Delta sqrt(|A|) sqrt(T) under CFR",
        "at every infoset of Kuhn and Leduc, T = 1 to 1,000",
        tests=(f"{BOUNDS}::test_regrets_stay_below_the_bound_of_cfr",),
    ),
    Claim(
        "Section 2",
        "a player's whole regret is at most |I_i| Delta_i sqrt(|A_i|) sqrt(T)",
        "of each player, on Kuhn and Leduc",
        tests=(f"{BOUNDS}::test_regrets_of_each_player",),
    ),
    Claim(
        "Section 2",
        "average regrets of at most epsilon make a 2 epsilon equilibrium",
        "on Kuhn and Leduc",
        tests=(f"{BOUNDS}::test_exploitability_is_below_the_sum_of_regrets",),
    ),
)  # fmt: skip

ADDING = (
    Claim(
        "Section 3",
        "regrets outside the greater subgame stay as they are when it is added",
        "to the bit, where nothing is discounted",
        tests=(
            f"{RECOVERY}::test_everything_outside_stays_to_the_bit_and_the_versions_differ_in_the_opponents_regrets",
        ),
    ),
    Claim(
        "Section 3, (5)",
        "the recovery game: head histories by the opponents' reach, or alt(I)",
        "built; where Z = 0 nothing changes",
        tests=(f"{RECOVERY}::test_action_that_nobody_comes_to_changes_nothing", f"{RECOVERY}::test_theorem_1"),
    ),
    Claim(
        "Section 3, footnote 1",
        "the sum of reaches is the opponent's cumulative reach at its last infoset times chance",
        "times the action's probability too, which the footnote drops: Theorem 1 is tested with it",
        tests=(f"{RECOVERY}::test_theorem_1",),
    ),
    Claim(
        "Theorem 1",
        "after T iterations in the game and T_S in the recovery game, regrets and averages are those of some "
        "|T_S| |T| iterations of the enlarged game, each weighed by 1 / |T_S|",
        "an equality to 1e-9, by replaying all pairs of recorded strategies; cfr and lcfr, both updates, any T_S",
        tests=(f"{RECOVERY}::test_theorem_1", f"{RECOVERY}::test_theorem_1_holds_for_additions_one_after_another"),
    ),
    Claim(
        "Theorem 2, (8)",
        "past iterations weighed by w, from 0 to the cap (8), keep the bound sqrt(w T + T') once T' exceeds T and "
        "the largest sum of an infoset's squared regrets by Delta^2 |A|",
        missing=not_tested("the cap is built as it stands; tests do not follow a run to the bound"),
    ),
    Claim(
        "Section 3",
        "which improves on the theorem of 2014: its discount follows the worst infoset",
        missing=not_built(
            "the discount of 2014 is not built",
            "solvent solve continuous_leduc --grow recovery --grow-discount worst",
            "worst infoset",
        ),
    ),
    Claim(
        "Corollary 1",
        "with w = min w_i the averages are a 2 epsilon equilibrium",
        missing=not_tested("w is the least of the players'; the bound itself is not tested"),
    ),
    Claim(
        "Section 3, (22)",
        "a lower w, (22), does better than the cap",
        "with the cap {cap by recovery-1.01:.2f} of the exploitability with (22)",
        Above("cap by recovery-1.01", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 3, (22)",
        "(22) satisfies the theory",
        "it is never above the cap; where the game had no regret at all it would be 0, and the cap takes its place",
        tests=(
            f"{THEORY}::test_recommended_discount_is_equation_22_and_falls_back_on_the_cap",
            f"{THEORY}::test_discounts_are_above_zero_and_at_most_one",
        ),
    ),
    Claim(
        "Section 3.1",
        "regret transfer adds a subtree as if its neighbour's iterations had been repeated in it",
        "equal to a replay of the recorded strategies to 1e-9",
        tests=(
            f"{TRANSFER}::test_transfer_is_a_replay",
            f"{TRANSFER}::test_copy_at_the_same_size_has_the_originals_regret",
        ),
    ),
    Claim(
        "Section 3.1",
        "in O(1)",
        missing=not_tested("no strategies are replayed, but the tables of the subtree are copied number by number"),
    ),
    Claim(
        "Section 3.1",
        "regret need be kept as a function of theta in the neighbour's greater subgame only, for its player",
        "the head's regret at any theta follows from the tables of that subgame; the opponent's regrets are 0",
        tests=(f"{TRANSFER}::test_transfer_is_a_replay",),
    ),
    Claim(
        "Section 3.1",
        "a subtree with more actions is added recursively; one with fewer is not sound",
        "more are added, fewer are refused",
        tests=(f"{TRANSFER}::test_further_actions_are_added_recursively_and_fewer_are_refused",),
    ),
    Claim(
        "Section 3.1",
        "the recovery game needs slightly less discounting than transfer",
        "an addition's -log w: {recovery-1.01.discounting:.3g}, with transfer {transfer.discounting:.3g}",
        Increasing(("recovery-1.01.discounting", "transfer.discounting")),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 3.1",
        "and less memory",
        missing=not_tested("here both need the same tables: the function of theta follows from them"),
    ),
    Claim(
        "Section 4",
        "exploitability in an infinite game from the abstraction alone, as a function of the bet",
        "closed form where exploiters see the mapping, certified bounds where they do not; grids tend to both",
        tests=(
            f"{CONTINUOUS}::test_grids_of_sizes_tend_to_both_values",
            f"{CONTINUOUS}::test_an_exploiter_who_may_do_more_wins_more",
        ),
    ),
    Claim(
        "Section 4",
        "the randomised pseudo-harmonic mapping performs best (cited)",
        missing=not_tested("the mapping is built and used; no other mapping was played"),
    ),
)  # fmt: skip

WHEN = (
    Claim(
        "Proposition 1",
        "the best moment to add S: when average regret by nodes falls quicker with it",
        missing=not_tested("the inequality is built as it stands; that the moment is the best is not tested"),
    ),
    Claim(
        "Section 5",
        "a condition 1 % stronger is faster",
        "with factor 1.0 {recovery-1.0 by recovery-1.01:.2f} of the exploitability with 1.01",
        Above("recovery-1.0 by recovery-1.01", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 5",
        "regret outside the abstraction is at most T x a best response's value",
        "best responses are worth at least what was played",
        tests=(f"{LOOKING}::test_responses_are_worth_at_least_what_was_played",),
    ),
    Claim(
        "Section 5",
        "converges to an equilibrium of the full game, where fixed abstractions may be pathological",
        missing=not_tested("runs of minutes show that it goes on improving, not where it ends"),
    ),
    Claim(
        "Section 6, first",
        "with CFR+'s last strategies an action may simply be left out",
        missing=not_built(
            "growing games take cfr and lcfr, and dcfr as a heuristic",
            "solvent solve continuous_leduc --grow recovery --rule cfr+",
            "last (strateg|iterate)",
        ),
    ),
    Claim(
        "Section 6, second",
        "CFR converges though finitely many iterations are dropped",
        missing=not_built(
            "no iterations are dropped",
            "solvent solve continuous_leduc --grow recovery --grow-drop 100",
            "drop(s|ped)? iterations|iterations are dropped",
        ),
    ),
    Claim(
        "Section 6, third",
        "where every player's reach is 0 nothing is updated, so a subtree may be archived",
        "such nodes are skipped, and their tables are put into a file until they are reached again, to the same "
        "numbers",
        tests=(
            "tests/engines/explicit/test_growing_solve.py::test_skipping_what_nobody_reaches_changes_nothing",
            "tests/engines/explicit/test_archive.py::test_run_with_an_archive_equals_one_without_to_the_bit",
        ),
    ),
)  # fmt: skip

EXPERIMENTS = (
    Claim(
        "Section 7",
        "continuous Leduc: any bet from 1 % to 100 % of the pot",
        "a raise is a fraction of the pot after calling, which the paper leaves open",
        tests=(
            f"{LEDUC}::test_raise_is_a_fraction_of_the_pot_after_calling",
            f"{LEDUC}::test_whatever_follows_a_call_scales_with_the_bet",
        ),
    ),
    Claim(
        "Section 7",
        "Branch-3 adds a bet of 1/3, Branch-5 also 1/7 and 3/5, by the pseudo-harmonic mapping",
        "built with these sizes",
        tests=(f"{LEDUC}::test_branches_return_from_their_names",),
    ),
    Claim(
        "Section 7",
        "additions are considered every 5 iterations, with regret estimated by transfer",
        "in all runs that grow",
        tests=("tests/papers/test_saef.py::test_settings_are_those_of_the_figure",),
    ),
    Claim(
        "Figure 1, top",
        "Recovery-1.01 is less exploitable than every fixed abstraction at every point",
        "at {recovery-1.01 by best fixed.lowest share:.0%} of the checks; at the worst "
        "{recovery-1.01 by best fixed.worst:.2f} of the best fixed one's",
        Below("recovery-1.01 by best fixed.worst", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Figure 1, top",
        "fixed abstractions level off",
        "last by half-way exploitability: " + ", ".join(f"{{{name}.last by half:.2f}}" for name in FIXED),
        Every(*(Above(f"{name}.last by half", 0.9) for name in FIXED)),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Figure 1, top",
        "automated abstractions go on improving",
        "last by half-way exploitability: " + ", ".join(f"{{{name}.last by half:.2f}}" for name in AUTOMATED),
        Every(*(Below(f"{name}.last by half", 0.9) for name in AUTOMATED)),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Figure 1, top",
        "finer fixed abstractions end lower (section 1 says so in general; the figure is lost)",
        "Branch-2 {branch-2.last:.3g}, Branch-3 {branch-3.last:.3g}, Branch-5 {branch-5.last:.3g}",
        Increasing(("branch-5.last", "branch-3.last", "branch-2.last")),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Figure 1, bottom",
        "the automated abstraction starts at Branch-2's size and grows",
        "from {recovery-1.01.size.first by branch-2:.2f} to {recovery-1.01.size.last by branch-2:.2f} of it",
        Every(
            Below("recovery-1.01.size.first by branch-2", 1.01), Above("recovery-1.01.size.last by branch-2", 1.01)
        ),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 7",
        "a threshold of 1.1 is about as good as 1.01",
        "{recovery-1.1 by recovery-1.01:.2f} of its exploitability in the end",
        All(Above("recovery-1.1 by recovery-1.01", 0.8), Below("recovery-1.1 by recovery-1.01", 1.25)),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 7",
        "a threshold of 2.0 is worse",
        "{recovery-2.0 by recovery-1.01:.2f} of its exploitability in the end",
        Above("recovery-2.0 by recovery-1.01", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 7",
        "transfer is worse than recovery",
        "{transfer by recovery-1.01:.2f} of its exploitability in the end",
        Above("transfer by recovery-1.01", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Figure 1, top",
        "Transfer's curve has a bump, from an addition that needed heavy discounting",
        "its largest rise above what it had reached, by Recovery-1.01's: {bump.transfer by recovery-1.01:.2f}; "
        "lowest w {transfer.discount.lowest:.2f}",
        Above("bump.transfer by recovery-1.01", 1),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 7",
        "small subtrees near the leaves are favoured",
        "{recovery-1.01.in last round:.0%} of the additions are in the second round",
        Above("recovery-1.01.in last round", 0.5),
        page=PAGE,
        missing=WAITS,
    ),
    Claim(
        "Section 7",
        "larger subtrees might favour transfer (conjecture)",
        missing=not_tested("no game with larger subtrees was run both ways"),
    ),
)  # fmt: skip

SAEF = Paper(
    "001",
    "SAEF",
    "Brown and Sandholm (2015), Simultaneous abstraction and equilibrium finding in games",
    "Figure 1 itself is lost: its claims are read from the text. What is not the paper's stands on the page.",
    (*BACKGROUND, *ADDING, *WHEN, *EXPERIMENTS),
)
