"""The claims of Brown and Sandholm, Total RBP, in the order of the paper.

Its theorems have names instead of numbers in the text that we have; they are counted here in their order.
Figures are those of the paper's own tests for when to prune; their names are explained in
`solvent.experiments.total_rbp.figures`.
"""

from __future__ import annotations

from solvent.experiments.ledger.claims import (
    Above,
    Below,
    Claim,
    Criterion,
    Every,
    Increasing,
    Near,
    Paper,
    Source,
    not_built,
    not_tested,
)

PRUNING = Source("total-rbp", "solvent reproduce total-rbp")
LARGER = Source("larger-game", "solvent reproduce larger-game")
CS = ("0.01", "0.03", "0.1")
"""The thresholds C of the paper's figures."""
PRUNED = "tests/solvers/test_pruning.py"
REPLAY = "tests/solvers/test_pruning_replay.py"
PUBLIC = "tests/solvers/test_pruned_public.py"
PUBLIC_REPLAY = "tests/solvers/test_public_replay.py"
THEOREMS = "tests/solvers/test_pruning_theorems.py"


def _half(variant: str, after: str = "") -> Every:
    """About half is stored, with every C."""
    return Every(*(Near(f"{variant}.factor.C={c}{after}", 2) for c in CS))


def _stored(variant: str, after: str = "") -> str:
    return ", ".join(f"{{{variant}.stored.C={c}{after}:.2f}}" for c in CS)


def _within(figure: str, factor: float) -> tuple[Criterion, Criterion]:
    """The figure is 1 up to a factor."""
    return Above(figure, 1 / factor), Below(figure, factor)


INTRODUCTION = (
    Claim(
        "Section 1",
        "what is stored behind a pruned action is never needed again and can be freed",
        "regrets behind pruned actions are freed, in both forms, and resident memory falls",
        tests=(
            f"{PUBLIC}::test_nothing_is_stored_behind_what_is_pruned",
            f"{PRUNED}::test_total_pruning_stores_less_and_its_memory_falls",
            f"{PRUNED}::test_what_holds_after_every_iteration",
        ),
    ),
    Claim(
        "Section 1",
        "a warm start from a coarse abstraction avoids the full table (we ask: less memory than without pruning)",
        "peak memory {warm start.memory by none:.2f} and seconds {warm start.seconds by none:.2f} of the unpruned "
        "solve's",
        Below("warm start.memory by none", 1),
        source=LARGER,
        missing=not_built("the warm start from a coarser game is not built yet"),
    ),
    Claim(
        "Section 1",
        "total RBP counters the growth of SAEF's space",
        missing=not_built("SAEF is not built yet"),
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
        "{nodes.none by total:.0f} times fewer nodes and {seconds.total by none:.2f} of the seconds on a game "
        "of 11 "
        "million infoset-actions, T = 200",
        Near("nodes.none by total", 100),
        source=LARGER,
    ),
    Claim(
        "Section 1",
        "and needs orders of magnitude less space",
        "a factor {factor:.2f} there; peak memory {peak resident.total by none:.2f} of that without pruning",
        Near("factor", 100),
        source=LARGER,
    ),
    Claim(
        "Section 2",
        "R(I) <= Delta sqrt(|A|) sqrt(T) under regret matching; average regrets bound exploitability",
        "on Kuhn and Leduc",
        tests=(
            "tests/solvers/test_regret_bounds.py::test_regrets_stay_below_the_bound_of_cfr",
            "tests/solvers/test_regret_bounds.py::test_exploitability_is_below_the_sum_of_regrets",
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
        "and saves a factor in some games (the figure is lost)",
        "none by partial: {leduc.cfr.alternating.nodes.none by partial:.1f} times the nodes on Leduc, "
        "{leduc5.cfr.alternating.nodes.none by partial:.1f} on Leduc-5",
        Every(
            Above("leduc.cfr.alternating.nodes.none by partial", 1),
            Above("leduc5.cfr.alternating.nodes.none by partial", 1),
        ),
        source=PRUNING,
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
        "Theorem 1",
        "an action with T psi <= sum v can be pruned for T' iterations and reset to best responses, and the bound "
        "stays",
        "tests, lengths and resets are those of a brute-force replay; pruned Leduc is as good as unpruned",
        tests=(
            f"{REPLAY}::test_total_pruning_does_what_its_replay_does",
            f"{REPLAY}::test_total_pruning_of_random_games_does_what_its_replay_does",
            f"{PUBLIC_REPLAY}::test_hands_do_what_their_replay_does",
            f"{PRUNED}::test_pruned_leduc_is_as_good_as_unpruned",
        ),
    ),
    Claim(
        "Section 4",
        "checking only now and then is safe",
        "every interval between looks converges",
        tests=(f"{PRUNED}::test_every_option_converges",),
    ),
    Claim(
        "Theorem 2",
        "an action that is no best response to an equilibrium is pruned for ever from some T on",
        "on a toy whose equilibria are known: from then on its subtree takes no space",
        tests=(f"{THEOREMS}::test_a_bad_action_is_pruned_for_ever",),
    ),
    Claim(
        "Section 4.1",
        "an average below C / sqrt(T) can be dropped at a constant factor of the bound (we ask: 1.5 times none's "
        "exploitability)",
        "exploitability by none's at T = 2,000, C = 0.1: Leduc "
        "{leduc.cfr.simultaneous.exploitability by none's.C=0.1.T=2000:.2f}, Leduc-5 "
        "{leduc5.cfr.simultaneous.exploitability by none's.C=0.1.T=2000:.2f}",
        Every(
            *(
                Below(f"{game}.cfr.{updates}.exploitability by none's.C=0.1.T=2000", 1.5)
                for game in ("leduc", "leduc5")
                for updates in ("simultaneous", "alternating")
            )
        ),
        source=PRUNING,
    ),
    Claim(
        "Corollary 1",
        "in the end only infosets of best responses to equilibria take space",
        "on the toy: regrets and averages of the bad subtree are gone",
        tests=(f"{THEOREMS}::test_a_bad_action_is_pruned_for_ever",),
    ),
    Claim(
        "Theorem 3",
        "T iterations touch O(|S| T + |H| ln T) nodes (we ask: nodes an iteration = a + b / T, median 15 % off)",
        "median {leduc5.cfr.alternating.cost.median off:.0%} off on Leduc-5, {leduc.cfr.alternating.cost.median "
        "off:.0%} on Leduc; the worst check {leduc5.cfr.alternating.cost.worst off:.0%}",
        Every(
            Below("leduc5.cfr.alternating.cost.median off", 0.15),
            Below("leduc.cfr.alternating.cost.median off", 0.15),
        ),
        source=PRUNING,
    ),
    Claim(
        "Lemma 1",
        "regrets behind a returning action may be set to those of a best response to the average",
        "they are, and tell the best responses",
        tests=(
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

SPACE = (
    Claim(
        "Section 5",
        "Leduc of six cards; Leduc-5 with five bet sizes",
        "288 and 34,224 infosets",
        tests=(
            "tests/solvers/test_reference.py::test_sizes",
            "tests/solvers/test_reference.py::test_leduc5_has_1_345_057_histories_over_six_card_deals",
        ),
    ),
    Claim(
        "Section 5",
        "CFR+ with interval RBP lets regrets go negative; with total RBP it is unchanged",
        "both converge",
        tests=(
            f"{PRUNED}::test_interval_pruning_with_cfr_plus_does_not_grow_rare",
            f"{PRUNED}::test_all_modes_converge",
        ),
    ),
    Claim(
        "Figure 1, Leduc, CFR",
        "about half is stored, for each C",
        f"{_stored('leduc.cfr.simultaneous', '.T=2000')} (C = 0.01, 0.03, 0.1; simultaneous updates, T = 2,000)",
        _half("leduc.cfr.simultaneous", ".T=2000"),
        source=PRUNING,
    ),
    Claim(
        "Figure 1, Leduc, CFR",
        "the same with alternating updates (the paper does not say which it used)",
        f"{_stored('leduc.cfr.alternating')}",
        _half("leduc.cfr.alternating"),
        source=PRUNING,
    ),
    Claim(
        "Figure 1, Leduc, CFR+",
        "about half is stored, for each C",
        f"{_stored('leduc.cfr+.alternating')}",
        _half("leduc.cfr+.alternating"),
        source=PRUNING,
    ),
    Claim(
        "Figure 1, Leduc-5, CFR",
        "a factor 7 with C = 0.1",
        "{leduc5.cfr.simultaneous.factor.C=0.1:.1f} simultaneous, {leduc5.cfr.alternating.factor.C=0.1:.1f} "
        "alternating; regrets alone {leduc5.cfr.simultaneous.regrets factor.C=0.1:.1f} and "
        "{leduc5.cfr.alternating.regrets factor.C=0.1:.1f}",
        Near("leduc5.cfr.simultaneous.factor.C=0.1", 7),
        source=PRUNING,
    ),
    Claim(
        "Figure 1, Leduc-5, CFR",
        "and the factor goes on growing",
        "stored by what was stored half-way: {leduc5.cfr.simultaneous.since half.C=0.1:.2f} simultaneous, "
        "{leduc5.cfr.alternating.since half.C=0.1:.2f} alternating",
        Every(
            Below("leduc5.cfr.simultaneous.since half.C=0.1", 0.99),
            Below("leduc5.cfr.alternating.since half.C=0.1", 0.99),
        ),
        source=PRUNING,
    ),
    Claim(
        "Figure 1, Leduc-5, CFR+",
        "a factor 10 with C = 0.1",
        "{leduc5.cfr+.alternating.factor.C=0.1:.1f}; regrets alone "
        "{leduc5.cfr+.alternating.regrets factor.C=0.1:.1f}",
        Near("leduc5.cfr+.alternating.factor.C=0.1", 10),
        source=PRUNING,
    ),
    Claim(
        "Figure 1",
        "a higher C stores less sooner",
        "stored at T = 2,000 with C = 0.01 and 0.1: Leduc {leduc.cfr.simultaneous.stored.C=0.01.T=2000:.3f}, "
        "{leduc.cfr.simultaneous.stored.C=0.1.T=2000:.3f}; Leduc-5 "
        "{leduc5.cfr.simultaneous.stored.C=0.01.T=2000:.3f}, {leduc5.cfr.simultaneous.stored.C=0.1.T=2000:.3f}",
        Every(
            *(
                Increasing(tuple(f"{game}.cfr.{updates}.stored.C={c}.T=2000" for c in ("0.1", "0.01")))
                for game in ("leduc", "leduc5")
                for updates in ("simultaneous", "alternating")
            )
        ),
        source=PRUNING,
    ),
    Claim(
        "Figure 1",
        "a lower C converges somewhat faster",
        "exploitability by none's at T = 2,000 with C = 0.01 and 0.1: Leduc "
        "{leduc.cfr.simultaneous.exploitability by none's.C=0.01.T=2000:.2f}, "
        "{leduc.cfr.simultaneous.exploitability by none's.C=0.1.T=2000:.2f}; Leduc-5 "
        "{leduc5.cfr.simultaneous.exploitability by none's.C=0.01.T=2000:.2f}, "
        "{leduc5.cfr.simultaneous.exploitability by none's.C=0.1.T=2000:.2f}",
        Every(
            *(
                Increasing(
                    tuple(
                        f"{game}.cfr.{updates}.exploitability by none's.C={c}.T=2000" for c in ("0.01", "0.1")
                    )
                )
                for game in ("leduc", "leduc5")
                for updates in ("simultaneous", "alternating")
            )
        ),
        source=PRUNING,
    ),
    Claim(
        "Section 5",
        "below C = 0.01 convergence is essentially the same",
        "exploitability with C = 0 by that with 0.01: Leduc "
        "{leduc.cfr.simultaneous.exploitability by none's.C=0 by C=0.01.T=2000:.2f}, Leduc-5 "
        "{leduc5.cfr.simultaneous.exploitability by none's.C=0 by C=0.01.T=2000:.2f}",
        Every(
            *(
                part
                for game in ("leduc", "leduc5")
                for part in _within(
                    f"{game}.cfr.simultaneous.exploitability by none's.C=0 by C=0.01.T=2000", 1.1
                )
            )
        ),
        source=PRUNING,
    ),
    Claim(
        "Abstract",
        "the factor grows with the size of the game",
        "Leduc {leduc.cfr.simultaneous.factor.C=0.1:.2f}, Leduc-5 {leduc5.cfr.simultaneous.factor.C=0.1:.2f}",
        Increasing(("leduc.cfr.simultaneous.factor.C=0.1", "leduc5.cfr.simultaneous.factor.C=0.1")),
        source=PRUNING,
    ),
    Claim(
        "Abstract",
        "an order of magnitude less space",
        "at most a factor {leduc5.cfr+.alternating.factor.C=0.1:.1f} (Leduc-5, CFR+)",
        Near("leduc5.cfr+.alternating.factor.C=0.1", 10),
        source=PRUNING,
    ),
)

CONVERGENCE = (
    Claim(
        "Figure 2, Leduc, CFR",
        "total and interval RBP are comparable (we ask: within 1.25)",
        "interval by total: {leduc.cfr.alternating.nodes.interval by total:.2f} times the nodes",
        Every(*_within("leduc.cfr.alternating.nodes.interval by total", 1.25)),
        source=PRUNING,
    ),
    Claim(
        "Figure 2, Leduc, CFR+",
        "interval RBP is significantly better",
        "interval by total: {leduc.cfr+.alternating.nodes.interval by total:.2f} times the nodes",
        Below("leduc.cfr+.alternating.nodes.interval by total", 0.9),
        source=PRUNING,
    ),
    Claim(
        "Figure 2, Leduc-5, CFR",
        "total RBP beats interval RBP by a factor 2",
        "interval by total: {leduc5.cfr.alternating.nodes.interval by total:.2f} times the nodes to exploitability "
        "{leduc5.cfr.alternating.nodes.exploitability:.2g}; simultaneous "
        "{leduc5.cfr.simultaneous.nodes.interval by total:.2f}",
        Near("leduc5.cfr.alternating.nodes.interval by total", 2),
        source=PRUNING,
    ),
    Claim(
        "Figure 2, Leduc-5, CFR+",
        "total RBP is far better early (we ask: 1.5 times)",
        "interval by total: {leduc5.cfr+.alternating.nodes.interval by total early:.2f} times the nodes to ten "
        "times "
        "the last exploitability",
        Above("leduc5.cfr+.alternating.nodes.interval by total early", 1.5),
        source=PRUNING,
    ),
    Claim(
        "Figure 2, Leduc-5, CFR+",
        "and is surpassed by interval RBP in the end",
        "interval by total: {leduc5.cfr+.alternating.nodes.interval by total:.2f} times the nodes to "
        "exploitability "
        "{leduc5.cfr+.alternating.nodes.exploitability:.2g}",
        Below("leduc5.cfr+.alternating.nodes.interval by total", 1),
        source=PRUNING,
    ),
    Claim(
        "Figure 2",
        "both are ahead of partial and of no pruning",
        "none by total: {leduc.cfr.alternating.nodes.none by total:.1f} times the nodes on Leduc, "
        "{leduc5.cfr.alternating.nodes.none by total:.1f} on Leduc-5; none by partial "
        "{leduc.cfr.alternating.nodes.none by partial:.1f}, {leduc5.cfr.alternating.nodes.none by partial:.1f}",
        Every(
            *(
                Increasing(
                    (
                        f"{game}.cfr.alternating.nodes.none by partial",
                        f"{game}.cfr.alternating.nodes.none by {one}",
                    )
                )
                for game in ("leduc", "leduc5")
                for one in ("interval", "total")
            )
        ),
        source=PRUNING,
    ),
    Claim(
        "Sections 1 and 6",
        "less time to an equilibrium (the paper counts nodes)",
        "{leduc5.cfr.alternating.seconds.total by none:.2f} of the seconds without pruning to exploitability "
        "0.05 on "
        "Leduc-5; the quickest plan without pruning takes "
        "{leduc5.cfr.alternating.seconds.none on the sequence plan by none:.2f}",
        Below("leduc5.cfr.alternating.seconds.total by none", 1),
        source=PRUNING,
    ),
    Claim(
        "Section 4",
        "clever near-best responses may do better still (conjecture)",
        missing=not_tested("near-best responses are an option; no heuristics for them were tried"),
    ),
)

TOTAL_RBP = Paper(
    "004",
    "Total RBP",
    "Brown and Sandholm (2017), Reduced space and faster convergence in imperfect-information games via pruning",
    "*Stored* is the mean over the last tenth of a run of two parts: regrets held of all regrets, averages held of "
    "all averages. Nodes include those of best responses and are counted to one exploitability. Our text of "
    "the paper "
    "has lost its formulas and the numbers of its theorems, which are counted in their order.",
    (*INTRODUCTION, *THEORY, *SPACE, *CONVERGENCE),
)
