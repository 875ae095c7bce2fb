"""The claims of Brown, Ganzfried and Sandholm (2015), Tartanian7, in the order of the paper."""

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
from solvent_papers.ledger.tartanian7_cluster_claims import ALGORITHM_FOUR, FIGURE_ONE, SIZES, TABLE_ONE

ABSTRACTION = "abstraction"
BUCKETS = "sampled-buckets"
POST = "post-processing"
COMPETITION = not_tested("the competition's agents are not public")
OWN_OPPONENTS = not_tested("its opponents were the competition's agents, ours are of our own making")
PURIFY, THRESHOLD, NEW_LATER = "purify(first=false)", "threshold(0.15)", "new(0.2,first=false)"
CLUSTERS = "tests/abstraction/test_public_clusters.py"
HIERARCHY = "tests/abstraction/test_hierarchical.py"
LEVELS = "tests/training/distributed/test_levels.py"
FEATURES = "tests/abstraction/test_abstraction_features.py"


def _lead(name: str) -> str:
    """How far one post-processing is ahead of another, with its interval."""
    return f"{{{name}:+,.0f}} [{{{name}.low:+,.0f}}, {{{name}.high:+,.0f}}]"


def _ahead_of_none(post: str) -> Every:
    """Surely ahead of no post-processing, in the mean and at worst."""
    return Every(*(Above(f"over none.{what}.{post}.low", 0) for what in ("mean", "least")))


def _ahead_of_all(what: str) -> All:
    """New-0.2 is surely ahead of each of the others."""
    return All(*(Above(f"lead.{what}.{post}.low", 0) for post in ("none", PURIFY, THRESHOLD)))


ABSTRACTING = (
    Claim(
        "Section 2, Algorithm 1",
        "public states first, then private ones inside each public bucket; for any game",
        "as printed, on Leduc of nine ranks and flop hold'em",
        tests=(
            f"{HIERARCHY}::test_rounds_before_and_after_the_public_one",
            f"{HIERARCHY}::test_leduc_with_nine_ranks",
            f"{HIERARCHY}::test_flop_holdem_with_sixteen_cards",
        ),
    ),
    Claim(
        "Section 2",
        "pieces are disjoint: from the flop on, a hand stays in its public cluster",
        "clusters share no bucket",
        tests=("tests/engines/sampled/test_sampled_public.py::test_buckets_are_as_many_as_asked_and_clusters_share_none",),
    ),
    Claim(
        "Section 2, example",
        "two flops have 2,352 hands",
        missing=not_tested("the arithmetic is right, 2 x 1,176, and a test has the 1,176 of a flop"),
    ),
    Claim(
        "Section 1",
        "CFR without sampling converges significantly slower in practice (cited)",
        missing=not_tested("never timed against sampling on a game of the paper's kind"),
    ),
    Claim(
        "Section 2",
        "with imperfect recall CFR has no guarantee, and there may be no equilibrium in behavioural strategies "
        "(cited)",
        missing=not_tested("no example was made; on buckets our strategies are judged by best responses alone"),
    ),
    Claim(
        "Section 2",
        "imperfect-recall abstractions outperform perfect-recall ones (cited)",
        missing=not_tested("no agent with perfect recall was trained"),
    ),
    Claim(
        "Section 2, by fit",
        'remembering the flop\'s cluster keeps the benefits of imperfect recall "to a large extent" (no figure; we '
        "ask for half)",
        "of the EMD that free buckets save, 30 x 50 keep {kept.flop.30x50:.0%} on the flop and "
        "{kept.turn.30x50:.0%} on the turn; 4 x 20 {kept.flop.4x20:.0%} and {kept.turn.4x20:.0%}",
        Every(*(
            Above(f"kept.{street}.{size}", 0.5) for size in ("4x20", "8x50", "30x50") for street in ("flop", "turn")
        )),
        page=ABSTRACTION,
    ),
    Claim(
        "Section 2, in play",
        "the same: at most 1.1 times the exploitability of as many free buckets",
        "{hierarchical by free.8.sampled:.2f} times with 8 buckets, {hierarchical by free.24.sampled:.2f} with 24",
        Every(Below("hierarchical by free.8.sampled", 1.1), Below("hierarchical by free.24.sampled", 1.1)),
        page=BUCKETS,
    ),
    Claim(
        "Section 2.1",
        "no abstraction before the flop: 169 classes",
        "169, pairs, suited or not",
        tests=("tests/cards/test_isomorphism.py::test_hole_cards_are_pairs_suited_or_not",),
    ),
    Claim(
        "Section 2.2",
        "1,755 flops up to suits of 22,100",
        "1,755 of 22,100",
        tests=(
            "tests/forms/test_public_size.py::test_the_full_deck_has_1755_flops_up_to_suits",
            "tests/abstraction/test_buckets.py::test_public_clusters_cover_all_flops",
        ),
    ),
    Claim(
        "Section 2.2",
        "the transition table counts 1,176 private hands for each flop, 2,063,880 in all",
        "every row sums to 1,176, and suits do not matter",
        tests=(f"{FEATURES}::test_rows_of_the_transition_table_sum_to_1176_and_know_no_suits",),
    ),
    Claim(
        "Section 2.2",
        "the L2 distance of Waugh's transition tables penalises boards that are alike; the new one does not",
        missing=not_tested("both distances are built; no agent was trained on Waugh's"),
    ),
    Claim(
        "Algorithm 2",
        "d = (V - sum of min(T[i][b], T[j][b])) / V",
        "as printed",
        tests=(f"{CLUSTERS}::test_distances_equal_the_naive_twin", f"{CLUSTERS}::test_distance_is_total_variation"),
    ),
    Claim(
        "Section 2.2",
        "7.7 billion steps for all distances at B = 5,000 are done quickly",
        missing=not_tested("run with 1,000 base buckets, not 5,000"),
    ),
    Claim(
        "Footnote 3",
        "d may be 0 for different boards",
        "flops alike up to suits, and any with equal rows of the table, are at distance 0",
        tests=(
            f"{CLUSTERS}::test_flops_alike_up_to_suits_are_at_distance_zero",
            f"{CLUSTERS}::test_triangle_inequality",
        ),
    ),
    Claim(
        "Footnote 3",
        "d fails the triangle inequality; the example has d(i,k) = 0.2",
        "it is the total-variation distance, a pseudo-metric; the example's distance is 0.8",
        tests=(
            f"{CLUSTERS}::test_the_papers_footnote_example_is_a_metric_after_all",
            f"{CLUSTERS}::test_triangle_inequality",
        ),
        refuted=True,
    ),
    Claim(
        "Algorithm 3",
        "clusters the flops into C clusters",
        "as printed {literal.clusters left.8:.0f} of 8 and {literal.clusters left.30:.0f} of 30 clusters are left; "
        "one flop at a time, all",
        Every(Above("literal.clusters left.8", 7.5), Above("literal.clusters left.30", 29.5)),
        page=ABSTRACTION,
    ),
    Claim(
        "Footnote 4",
        "the sum objective makes clusters of more balanced sizes than the average",
        "largest by smallest: sum, our sequential repair, {balance.sum.8:.1f} and {balance.sum.30:.1f}, average "
        "{balance.average.8:.1f} and {balance.average.30:.1f} (C = 8, 30); Algorithm 3 as printed leaves "
        "{literal.clusters left.8:.0f} and {literal.clusters left.30:.0f} clusters, so it balances nothing",
        Every(
            Above("balance.average by sum.8", 1),
            Above("balance.average by sum.30", 1),
            Above("literal.clusters left.8", 7.5),
            Above("literal.clusters left.30", 29.5),
        ),
        page=ABSTRACTION,
    ),
    Claim(
        "Footnote 4",
        "k-medoids takes significantly more time (we ask: 1.5 times)",
        "{seconds.medoids by sum.8:.1f} and {seconds.medoids by sum.30:.1f} times the seconds of our sequential "
        "repair, {seconds.medoids by literal.8:.2f} and {seconds.medoids by literal.30:.2f} times those "
        "of Algorithm 3 as printed (C = 8, 30; memory not measured)",
        Every(*(
            Above(f"seconds.medoids by {method}.{clusters}", 1.5)
            for method in ("sum", "literal")
            for clusters in (8, 30)
        )),
        page=ABSTRACTION,
    ),
    Claim(
        "Section 2, [5]",
        "potential-aware buckets with earth mover's distance are state of the art (cited)",
        missing=not_tested("built, and measured by fit alone; no agent was trained on them"),
    ),
)  # fmt: skip

SOLVING = (
    Claim(
        "Section 3",
        "external sampling converges faster than Pure CFR and takes twice its memory (cited)",
        missing=not_built("Pure CFR is not built", "solvent solve leduc --sampling pure", "pure.?cfr"),
    ),
    *ALGORITHM_FOUR,
    Claim(
        "Section 4",
        "opponents' bets are mapped by the pseudo-harmonic mapping (cited)",
        "known shares and medians",
        tests=(
            "tests/abstraction/test_translation.py::test_known_shares",
            "tests/abstraction/test_translation.py::test_known_medians",
            "tests/abstraction/test_translation.py::test_shares_are_those_of_exact_arithmetic",
        ),
    ),
    Claim(
        "Section 4",
        "thresholding drops what is below and rescales the rest; purification keeps the most probable, ties alike",
        "as printed; where nothing is left, the most probable",
        tests=(
            "tests/strategy/test_post_processing.py::test_what_is_left",
            "tests/strategy/test_post_processing.py::test_ties_are_alike_and_folding_may_be_impossible",
        ),
    ),
    Claim(
        "Section 4",
        "worked example: purification calls, New-0.2 bets the pot",
        "both do",
        tests=("tests/strategy/test_post_processing.py::test_the_papers_example",),
    ),
    Claim(
        "Section 4",
        "a family: fold threshold, classes of actions, thresholds between and inside classes",
        "all are parameters",
        tests=(
            "tests/strategy/test_post_processing.py::test_classes_of_actions",
            "tests/strategy/test_post_processing.py::test_what_is_left",
        ),
    ),
    Claim(
        "Section 4",
        "preferring to fold raises expected value (and lowers variance)",
        f"folding above 0.2 and nothing else wins {_lead('chosen.fold alone over none')} mbb/hand more than none "
        "(variance not measured)",
        Above("chosen.fold alone over none.low", 0),
        page=POST,
        missing=not_tested("the fold threshold was not measured apart from the classes of actions"),
    ),
    Claim(
        "Footnote 5",
        "each post-processing can make the agent more exploitable",
        "exactly, of a near-equilibrium of Leduc: below 0.002 chips before, above 0.1 after each of the three",
        tests=("tests/strategy/test_post_processing.py::test_an_equilibrium_of_leduc_becomes_more_exploitable",),
    ),
    Claim(
        "Footnote 5, in play",
        "the same of our agent (we ask: a local best response wins more)",
        "a local best response, which bounds exploitability from below, wins {lbr.none:,.0f} mbb/hand from none, "
        "{lbr.threshold(0.15):,.0f} from "
        "thresholding, {lbr.purify:,.0f} from purification, {lbr.new(0.2):,.0f} from New-0.2",
        Every(*(Increasing(("lbr.none", f"lbr.{post}")) for post in ("threshold(0.15)", "purify", "new(0.2)"))),
        page=POST,
    ),
)  # fmt: skip

EXPERIMENTS = (
    Claim(
        "Section 5",
        "the competition's no-limit game has 1e165 nodes (cited)",
        missing=not_tested("not counted here"),
    ),
    *SIZES,
    TABLE_ONE,
    Claim("Section 5", "won the 2014 Annual Computer Poker Competition", missing=COMPETITION),
    FIGURE_ONE,
    Claim(
        "Footnote 6",
        "purification but for the first action is best among prior techniques (we ask: in the mean, surely ahead "
        "of none)",
        f"ahead of none by {_lead(f'over none.mean.{PURIFY}')} mbb/hand; means {{mean.{PURIFY}:+,.0f}}, none "
        f"{{mean.none:+,.0f}}, thresholding {{mean.{THRESHOLD}:+,.0f}}",
        All(
            Above(f"over none.mean.{PURIFY}.low", 0),
            *(Increasing((f"mean.{post}", f"mean.{PURIFY}")) for post in ("none", THRESHOLD)),
        ),
        page=POST,
    ),
    Claim(
        "Table 2, none",
        "wins from each: +30, +10; mean +20, least +10",
        "mean {mean.none:+,.0f}, least {least.none:+,.0f} against opponents of ours",
        page=POST,
        missing=OWN_OPPONENTS,
    ),
    Claim(
        "Table 2, purification",
        "ahead of none: mean +37 against +20, least +19 against +10",
        f"but for the first action (footnote 6): in the mean by {_lead(f'over none.mean.{PURIFY}')}, at worst by "
        f"{_lead(f'over none.least.{PURIFY}')}",
        _ahead_of_none(PURIFY),
        page=POST,
    ),
    Claim(
        "Table 2, thresholding 0.15",
        "ahead of none: mean +27 against +20, least +19 against +10",
        f"in the mean by {_lead(f'over none.mean.{THRESHOLD}')}, at worst by "
        f"{_lead(f'over none.least.{THRESHOLD}')}",
        _ahead_of_none(THRESHOLD),
        page=POST,
    ),
    Claim(
        "Table 2, New-0.2, mean",
        "best on average: +71 against +20, +37, +27",
        f"ahead of none by {_lead('lead.mean.none')}, of purification by {_lead(f'lead.mean.{PURIFY}')}, of "
        f"thresholding by {_lead(f'lead.mean.{THRESHOLD}')}; but for the first action ahead of none by "
        f"{_lead(f'over none.mean.{NEW_LATER}')}",
        _ahead_of_all("mean"),
        page=POST,
    ),
    Claim(
        "Table 2, New-0.2, least",
        "best at worst: +39 against +10, +19, +19",
        f"ahead of none by {_lead('lead.least.none')}, of purification by {_lead(f'lead.least.{PURIFY}')}, of "
        f"thresholding by {_lead(f'lead.least.{THRESHOLD}')}",
        _ahead_of_all("least"),
        page=POST,
    ),
    Claim(
        "Footnotes 7 and 8",
        "0.15 is a good threshold; New-0.2 is clearly better than New-0.1",
        f"New-0.2 wins {_lead('chosen.new(0.2) over new(0.1)')} mbb/hand more than New-0.1 (thresholding: 0.15 "
        "alone was played)",
        Above("chosen.new(0.2) over new(0.1).low", 0),
        page=POST,
        missing=not_tested("no other thresholds were played"),
    ),
    Claim(
        "Section 6",
        "extends to more rounds of public information and more levels of blades",
        "clusters of turns inside clusters of flops, whose children are heads themselves: unbiased at every level, "
        "and plain sampling bit for bit with one cluster at each; in Python, while `solvent train` has two levels",
        tests=(
            f"{HIERARCHY}::test_clusters_inside_clusters",
            f"{LEVELS}::test_expected_increments_are_those_of_plain_sampling_at_every_level",
            f"{LEVELS}::test_one_cluster_at_every_level_is_plain_sampling_bit_for_bit",
        ),
    ),
    Claim(
        "Appendix A, (3)",
        "regret matching plays positive regrets in proportion, and uniformly without any",
        "in every version of the kernels",
        tests=("tests/engines/vectors/test_matching.py::test_every_version_plays_positive_regrets_in_proportion",),
    ),
    Claim(
        "Appendices A (4) and C",
        "average regret is at most Delta sqrt(|A|) / sqrt(T) at an infoset; so CFR converges",
        "at every infoset of Kuhn and Leduc, T = 1 to 1,000, and for each player's whole regret to T = 100",
        tests=(
            "tests/engines/test_regret_bounds.py::test_regrets_stay_below_the_bound_of_cfr",
            "tests/engines/test_regret_bounds.py::test_regrets_of_each_player",
        ),
    ),
)  # fmt: skip

TARTANIAN7 = Paper(
    "000",
    "Tartanian7",
    "Brown, Ganzfried and Sandholm (2015), Hierarchical abstraction, distributed equilibrium computation, and "
    "post-processing, with application to a champion no-limit Texas hold'em agent",
    "Opponents in Table 2 are agents of our own, so mbb/hand are not the paper's; all its rows are judged alike, "
    "by who is surely ahead (95 %), which the paper's own intervals say of New-0.2's mean alone.",
    (*ABSTRACTING, *SOLVING, *EXPERIMENTS),
)
