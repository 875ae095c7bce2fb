"""The claims of Brown and Sandholm, Total RBP, in the order of the paper.

Its theorems have names instead of numbers in the text that we have; they are counted here in their order.
Figures are those of the paper's own tests for when to prune; their names are explained in
`solvent_papers.total_rbp.figures`.
"""

from __future__ import annotations

from solvent_papers.ledger.claims import (
    Above,
    All,
    Below,
    Claim,
    Every,
    Paper,
    not_tested,
)
from solvent_papers.ledger.total_rbp_figure_claims import (
    CONVERGENCE,
    GAMES,
    PRUNED,
    PRUNING,
    SPACE,
    VARIANTS,
)

LARGER = "larger-game"
FEW = not_tested("so few iterations cannot decide what is saved in the long run, for or against")
REPLAY = "tests/engines/history/test_pruning_replay.py"
PUBLIC = "tests/engines/public/test_pruned_public.py"
PUBLIC_REPLAY = "tests/engines/public/test_public_replay.py"
THEOREMS = "tests/engines/test_pruning_theorems.py"
BOUNDS = "tests/engines/test_regret_bounds.py"
SAME_RATE = ("cfr.simultaneous", "cfr.alternating")
"""The variants that the theorems are about: not CFR+."""


def _by_none(variant: str) -> str:
    return ", ".join(f"{{{game}.{variant}.exploitability by none's.C=0.1.T=2000:.2f}}" for game in GAMES)


def _cost(game: str, variant: str) -> str:
    where = f"{game}.{variant}.cost"
    return (
        f"b = {{{where}.falls by H:.2g}} |H|, {{{where}.median off:.0%}} off, the worst {{{where}.worst off:.0%}}, "
        f"nodes {{{where}.T=10000 by T=1000:.2f}} times those at 1,000"
    )


def _falls(game: str, variant: str) -> All:
    """Nodes an iteration are as in Theorem 3."""
    where = f"{game}.{variant}.cost"
    return All(
        Above(f"{where}.falls by H", 0),
        Below(f"{where}.median off", 0.15),
        Below(f"{where}.T=10000 by T=1000", 1),
    )


def _under_budget(part: str) -> tuple[Below, Below]:
    """A growing run keeps to a part of the tables and ends hardly more exploitable than without a budget."""
    return Below(f"budget {part}.peak by budget", 1), Below(f"budget {part}.by unlimited", 1.2)


INTRODUCTION = (
    Claim(
        "Section 1",
        "what is stored behind a pruned action is never needed again and can be freed",
        "regrets behind pruned actions are freed, in both forms, and the bytes of tables fall",
        tests=(
            f"{PUBLIC}::test_nothing_is_stored_behind_what_is_pruned",
            f"{PRUNED}::test_total_pruning_stores_less_and_its_memory_falls",
            f"{PRUNED}::test_what_holds_after_every_iteration",
        ),
    ),
    Claim(
        "Section 1",
        "a warm start from a coarse abstraction avoids the full table (we ask: less memory than the same walk "
        "without pruning, and than our quickest plan without)",
        "peak memory {warm start.memory by none:.2f} of the same walk's and {warm start.memory by quickest:.2f} of "
        "the quickest plan's, in {warm start.seconds by none:.2f} and {warm start.seconds by quickest:.2f} of the "
        "seconds",
        Every(Below("warm start.memory by none", 1), Below("warm start.memory by quickest", 1)),
        page=LARGER,
    ),
    Claim(
        "Section 1",
        "total RBP counters the growth of SAEF's space (we ask: three quarters and half of the tables at 1.2 of "
        "the exploitability at most)",
        "growing under 75 % of the tables of the run without pruning ends at {budget 0.75.by unlimited:.2f} of its "
        "exploitability, under 50 % at {budget 0.5.by unlimited:.2f}; the most held is "
        "{budget 0.75.peak by budget:.2f} and {budget 0.5.peak by budget:.2f} of those budgets",
        Every(*(All(*_under_budget(part)) for part in ("0.75", "0.5"))),
        page="saef",
    ),
    Claim(
        "Section 1",
        "there are games where total RBP brings nothing",
        "rock, paper, scissors: no action is ever pruned",
        tests=(f"{THEOREMS}::test_a_game_without_bad_actions_gains_nothing",),
    ),
    Claim(
        "Section 1",
        "with many suboptimal actions, CFR is faster by multiple orders of magnitude",
        "without pruning {nodes.none by total:.2f} times the nodes and with it {seconds.total by none:.2f} of the "
        "seconds, LCFR, T = {iterations:.0f}, on a game of {infoset-actions:,.0f} infoset-actions",
        page=LARGER,
        missing=FEW,
    ),
    Claim(
        "Section 1",
        "and needs orders of magnitude less space",
        "{factor:.2f} times fewer regrets and averages there, T = {iterations:.0f}; tables "
        "{tables.total by none:.2f} and peak memory {peak resident.total by none:.2f} of those without pruning",
        page=LARGER,
        missing=FEW,
    ),
    Claim(
        "Section 1",
        "interval RBP has been shown to do better empirically (cited; we ask: fewer nodes than without pruning)",
        "none by interval, on Leduc and Leduc-5: "
        + "; ".join(
            f"{told} " + ", ".join(f"{{{game}.{variant}.nodes.none by interval:.1f}}" for game in GAMES)
            for variant, told in VARIANTS.items()
        ),
        Every(
            *(Above(f"{game}.{variant}.nodes.none by interval", 1) for variant in VARIANTS for game in GAMES)
        ),
        page=PRUNING,
    ),
    Claim(
        "Section 2",
        "R(I) <= Delta sqrt(|A|) sqrt(T) under regret matching; average regrets bound exploitability",
        "on Kuhn and Leduc",
        tests=(
            f"{BOUNDS}::test_regrets_stay_below_the_bound_of_cfr",
            f"{BOUNDS}::test_exploitability_is_below_the_sum_of_regrets",
            f"{BOUNDS}::test_regrets_of_each_player",
        ),
    ),
    Claim(
        "Section 3, partial",
        "histories that an opponent does not reach contribute nothing",
        "partial pruning changes no number",
        tests=(
            f"{PRUNED}::test_partial_pruning_changes_no_number",
            f"{PRUNED}::test_partial_pruning_changes_no_number_of_random_games",
            f"{PUBLIC}::test_partial_pruning_changes_no_number",
        ),
    ),
    Claim(
        "Section 3, partial",
        "and saves a factor in some games (its number is lost in our text; we ask for the direction alone)",
        "none by partial: {leduc.cfr.alternating.nodes.none by partial:.1f} times the nodes on Leduc, "
        "{leduc5.cfr.alternating.nodes.none by partial:.1f} on Leduc-5",
        Every(
            Above("leduc.cfr.alternating.nodes.none by partial", 1),
            Above("leduc5.cfr.alternating.nodes.none by partial", 1),
        ),
        page=PRUNING,
    ),
    Claim(
        "Section 3, interval",
        "skipped iterations are made up by one best response to the average of what was missed",
        "what a brute-force replay does",
        tests=(
            f"{REPLAY}::test_interval_pruning_does_what_its_replay_does",
            f"{REPLAY}::test_interval_pruning_of_random_games_does_what_its_replay_does",
        ),
    ),
)

THEORY = (
    Claim(
        "Section 4",
        "a T-near best response is allowed: squared gains up to x / T^2",
        "as near as it may be, and no farther",
        tests=(
            f"{PRUNED}::test_near_best_is_no_farther_from_best_than_it_may_be",
            f"{PRUNED}::test_near_best_is_as_far_from_best_as_it_may_be",
        ),
    ),
    Claim(
        "Section 4",
        "a near-best response may perform worse in practice than an exact one",
        missing=not_tested(
            "no results page has it; our guide to pruning reports 30 times the exploitability after 2,000 "
            "iterations, on Leduc with a nearness of 0.01"
        ),
    ),
    Claim(
        "Theorem 1",
        "an action with T psi <= sum v can be pruned for T' iterations and reset to best responses, and the bound "
        "stays",
        "tests, lengths and resets are those of a brute-force replay; by the paper's tests, every infoset of "
        "Kuhn and "
        "Leduc stays below CFR's bound",
        tests=(
            f"{REPLAY}::test_total_pruning_does_what_its_replay_does",
            f"{REPLAY}::test_total_pruning_of_random_games_does_what_its_replay_does",
            f"{PUBLIC_REPLAY}::test_hands_do_what_their_replay_does",
            f"{BOUNDS}::test_total_pruning_keeps_the_bound_of_cfr",
        ),
    ),
    Claim(
        "Section 4",
        "checking only now and then is safe",
        "looks every one to three iterations do what their replay does and keep CFR's bound; whether less is "
        "pruned "
        "was not measured",
        tests=(
            f"{REPLAY}::test_total_pruning_of_random_games_does_what_its_replay_does",
            f"{BOUNDS}::test_total_pruning_keeps_the_bound_of_cfr",
        ),
    ),
    Claim(
        "Theorem 2",
        "an action that is no best response to an equilibrium is pruned for ever from some T on",
        "on a toy whose equilibria are known: from then on its subtree takes no space",
        tests=(f"{THEOREMS}::test_a_bad_action_is_pruned_for_ever",),
    ),
    Claim(
        "Section 4",
        "pruning may last longer than computed in advance, while its test still holds",
        "dynamic lengths are those of a brute-force replay, as lengths known beforehand are",
        tests=(f"{REPLAY}::test_total_pruning_of_random_games_does_what_its_replay_does",),
    ),
    Claim(
        "Section 4.2",
        "CFR with total RBP converges in the same number of iterations as CFR alone (we ask: at most 1.1 times the "
        "exploitability at T = 2,000, and of the iterations to one exploitability)",
        "exploitability with the paper's tests and all averages kept (C = 0) by none's, Leduc and Leduc-5: "
        + "; ".join(
            f"{VARIANTS[variant]} "
            + ", ".join(f"{{{game}.{variant}.exploitability by none's.C=0.T=2000:.2f}}" for game in GAMES)
            for variant in SAME_RATE
        )
        + ". With C = 0.01 {leduc5.cfr.alternating.iterations.total by none:.2f} times the iterations to "
        "exploitability 0.05 on Leduc-5, alternating, "
        "{leduc5.cfr.alternating.lasting.iterations.total by none:.2f} "
        "with our gates; with C = 0.1 it was not reached",
        Every(
            *(
                Below(f"{game}.{variant}.exploitability by none's.C=0.T=2000", 1.1)
                for variant in SAME_RATE
                for game in GAMES
            ),
            Below("leduc5.cfr.alternating.iterations.total by none", 1.1),
        ),
        page=PRUNING,
    ),
    Claim(
        "Section 4, footnote",
        "the space of actions that are no best response to the equilibrium that CFR converges to is freed as well",
        missing=not_tested("no test follows CFR to one of several equilibria"),
    ),
    Claim(
        "Section 4.1",
        "dropping averages below C / sqrt(T) costs at most a constant factor of CFR's bound",
        missing=not_tested("the bound itself is not computed; the row below compares exploitabilities"),
    ),
    Claim(
        "Section 4.1",
        "and at most a constant factor in exploitability (no number; we ask: 1.5 times that without pruning)",
        "exploitability by none's at T = 2,000, C = 0.1, on Leduc and Leduc-5: "
        + "; ".join(f"{told} {_by_none(variant)}" for variant, told in VARIANTS.items()),
        Every(
            *(
                Below(f"{game}.{variant}.exploitability by none's.C=0.1.T=2000", 1.5)
                for variant in VARIANTS
                for game in GAMES
            )
        ),
        page=PRUNING,
    ),
    Claim(
        "Section 4.1",
        "an action that is pruned for long enough falls below C / sqrt(T) in the average, for any C",
        "on the toy, C = 1: averages of the bad subtree are gone",
        tests=(f"{THEOREMS}::test_a_bad_action_is_pruned_for_ever",),
    ),
    Claim(
        "Corollary 1",
        "in the end only infosets of best responses to equilibria take space",
        "on the toy: regrets and averages of the bad subtree are gone",
        tests=(f"{THEOREMS}::test_a_bad_action_is_pruned_for_ever",),
    ),
    Claim(
        "Theorem 3",
        "T iterations touch O(|S| T + |H| ln T) nodes (we ask: nodes an iteration = a + b / T with b > 0, the "
        "median step 15 % off, and fewer at T = 10,000 than at 1,000)",
        "C = 0.01, the paper's tests, on Leduc-5: "
        + "; ".join(f"{told} {_cost('leduc5', variant)}" for variant, told in VARIANTS.items())
        + f". With our gates: {_cost('leduc5', 'cfr.alternating.lasting')}",
        Every(*(_falls(game, variant) for variant in VARIANTS for game in GAMES)),
        page=PRUNING,
    ),
    Claim(
        "Lemma 1",
        "regrets behind a returning action may be set to those of a best response to the average",
        "they are, and tell the best responses; every infoset of Kuhn and Leduc stays below CFR's bound",
        tests=(
            f"{BOUNDS}::test_total_pruning_keeps_the_bound_of_cfr",
            f"{PUBLIC_REPLAY}::test_total_pruning_does_what_its_replay_does",
            f"{REPLAY}::test_total_pruning_does_what_its_replay_does",
        ),
    ),
    Claim(
        "Lemma 2",
        "regret falling linearly means O(ln T) traversals of what lies behind",
        "on the toy: traversals of the bad subtree grow as ln T",
        tests=(f"{THEOREMS}::test_a_bad_action_is_walked_ever_more_seldom",),
    ),
)

TOTAL_RBP = Paper(
    "004",
    "Total RBP",
    "Brown and Sandholm (2017), Reduced space and faster convergence in imperfect-information games via pruning",
    "*Stored* counts numbers: it is the mean of two parts, regrets held of all regrets and averages held of all "
    "averages, over the last tenth of 20,000 iterations; the bytes of all tables stand beside it. "
    "Nodes include those of best responses and are counted to one exploitability, at C = 0.01. Our text of "
    "the paper "
    "has lost its formulas and the numbers of its theorems, which are counted in their order.",
    (*INTRODUCTION, *THEORY, *SPACE, *CONVERGENCE),
)
