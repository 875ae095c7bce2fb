"""The claims of "Solving imperfect information games on heterogeneous hardware by operation aggregation"."""

from __future__ import annotations

from solvent_papers.aggregation.plans import PAPER
from solvent_papers.ledger.claims import (
    Above,
    All,
    Below,
    Claim,
    Criterion,
    Every,
    Increasing,
    Near,
    Paper,
    not_tested,
)

PLANS = "aggregation"
GAMES = tuple(each.name for each in PAPER.values())
SMALLEST, LARGEST = GAMES[0], GAMES[-1]
FITS = tuple(each.name for each in PAPER.values() if each.flattened is not None)
TOO_LARGE = tuple(each.name for each in PAPER.values() if each.flattened is None)
BLUFF = tuple(name for name in GAMES if "dices" in name)
CARDS = tuple(name for name in GAMES if "dices" not in name)
INVARIANCE = "tests/forms/test_public_invariance.py"
HISTORY_PLANS = "tests/engines/history/test_plans_history.py"
BOUNDS = "tests/engines/test_regret_bounds.py"


def _as_quick(figure: str, claimed: float) -> Criterion:
    """A speed-up is a factor; where the paper is slower than its serial plan, ours has to be, too."""
    return Near(figure, claimed) if claimed > 1 else All(Below(figure, 1), Near(figure, claimed))


TABLE = tuple(
    Claim(
        f"Table 1, {paper.name}",
        f"{paper.serial:g} s serial, {paper.aggregated:g} s aggregated: {paper.speedup:g} times as quick",
        f"{{{paper.name}.seconds.serial:.3g}} s, {{{paper.name}.seconds.as printed:.3g}} s: "
        f"{{{paper.name}.speedup.as printed:.3g}} times; {{{paper.name}.speedup.auto:,.4g}} by default",
        _as_quick(f"{paper.name}.speedup.as printed", paper.speedup),
        page=PLANS,
    )
    for paper in PAPER.values()
)

AGGREGATION = Paper(
    "002",
    "Aggregation",
    "Anonymous, Solving imperfect information games on heterogeneous hardware by operation aggregation",
    "The paper's parallel plans ran on an unnamed GPU; ours all run on one core of a processor, so seconds are not "
    "the paper's, and what a GPU would gain by parallelism is not seen. Its aggregated plan is compared "
    "with ours as printed: one matrix product for all terminals of a "
    "board, and in Bluff vectors over hands. How its games were read stands on the page. Figure 2 is an example.",
    (
        Claim(
            "Abstract",
            "the aggregated plan is more than 31 times as quick as one thread's serial plan",
            f"{{{LARGEST}.speedup.as printed:.1f}} times as printed, {{{LARGEST}.speedup.auto:,.0f}} with "
            f"sweeps and "
            "isomorphism",
            Above(f"{LARGEST}.speedup.as printed", 31),
            page=PLANS,
        ),
        Claim(
            "Abstract, section 4",
            "the larger the game, the larger the speed-up",
            ", ".join(f"{{{game}.speedup.as printed:.3g}}" for game in GAMES),
            Increasing(tuple(f"{game}.speedup.as printed" for game in GAMES)),
            page=PLANS,
        ),
        Claim(
            "Section 1",
            "an aggregated round takes less than a thirtieth of a serial one",
            f"1 / {{{LARGEST}.speedup.as printed:.1f}} of it on the largest game",
            Above(f"{LARGEST}.speedup.as printed", 30),
            page=PLANS,
        ),
        Claim(
            "Section 1",
            "the aggregated plan takes no more memory than the serial one",
            f"{{{SMALLEST}.aggregated by serial memory:.2f}} of it on the smallest game, "
            f"{{{LARGEST}.aggregated by serial memory:.2f}} on the largest; our serial plan takes about ten times "
            "its "
            "tables",
            Every(*(Below(f"{game}.aggregated by serial memory", 1.1) for game in GAMES)),
            page=PLANS,
        ),
        Claim(
            "Section 1",
            "the flattened plan runs as fast as the aggregated one (we ask: at most 1.1 times its seconds)",
            ", ".join(f"{{{game}.flattened by aggregated:.1f}}" for game in FITS)
            + " times the seconds, on one core, where flattening gains nothing",
            Every(*(Below(f"{game}.flattened by aggregated", 1.1) for game in FITS)),
            page=PLANS,
        ),
        Claim(
            "Figure 1, serial",
            "no parallelism, and no more memory than the depth of the tree",
            missing=not_tested(
                "at its peak our serial plan takes about ten times its tables; what of it is a path's was not "
                "measured"
            ),
        ),
        Claim(
            "Figure 1, branched",
            "good parallelism at the serial plan's memory; branches that end early wait",
            f"two threads are {{{SMALLEST}.speedup.branched:.2f}} times as quick on the smallest game, "
            f"{{{LARGEST}.speedup.branched:.2f}} on the largest, at "
            f"{{{LARGEST}.branched by serial memory:.2f}} of its "
            "memory",
            Every(
                *(Below(f"{game}.branched by serial memory", 1.1) for game in GAMES),
                *(Above(f"{game}.speedup.branched", 1) for game in GAMES),
            ),
            page=PLANS,
        ),
        Claim(
            "Figure 1, flattened, memory",
            "holds the whole game tree, serial only a path",
            ", ".join(f"{{{game}.flattened by serial memory:.0f}}" for game in FITS)
            + " times the serial plan's memory",
            Every(*(Above(f"{game}.flattened by serial memory", 2) for game in FITS)),
            page=PLANS,
        ),
        Claim(
            "Figure 1, flattened, parallelism",
            "what lies in an interval runs side by side, without barriers, on well-used hardware",
            missing=not_tested("the flattened plan was run with one thread"),
        ),
        Claim(
            "Assumption 1, footnote 3",
            "reach and utility of an infoset are sums over its histories",
            "utilities, weighed by reach, on the public tree are those of the histories",
            tests=(
                "tests/engines/test_value_sums.py::"
                "test_every_plan_on_the_public_form_keeps_the_sums_of_the_histories",
                "tests/engines/test_value_sums.py::test_random_public_games_keep_the_sums_of_the_histories",
            ),
        ),
        Claim(
            "Corollary 1",
            "walking the public tree gives the statistics of the game tree",
            "all plans agree on every game tried, random ones included",
            tests=(
                f"{INVARIANCE}::test_one_iteration",
                f"{INVARIANCE}::test_one_iteration_of_a_random_game",
                f"{HISTORY_PLANS}::test_one_iteration_from_any_regrets",
            ),
        ),
        Claim(
            "Algorithm 1",
            "CFR over infosets, regret matching on the way back",
            "on every plan, as a slow twin does it; read as CFR: line 10 weighs the acting player's rewards by its "
            "strategy and line 13 sums regrets over iterations, which the print leaves out",
            tests=(
                "tests/engines/test_solvers.py::test_every_rule_does_what_its_slow_twin_does",
                "tests/engines/test_solvers.py::test_plans_agree",
                f"{HISTORY_PLANS}::test_one_iteration_from_any_regrets",
                f"{INVARIANCE}::test_one_iteration",
            ),
        ),
        Claim(
            "Figure 2",
            "the example game has the same values on the game tree and on the public tree",
            "it has",
            tests=("tests/forms/test_public_form.py::test_figure_2_has_the_same_values_on_either_tree",),
        ),
        Claim(
            "Section 3.2, (1) and (2)",
            "utility = stake x symbol matrix, so the products of a subtree can wait and become one",
            "matrix products, single sweeps and joint sweeps give the same iteration",
            tests=(f"{INVARIANCE}::test_one_iteration", f"{INVARIANCE}::test_many_iterations"),
        ),
        Claim(
            "Figure 3",
            "exploitability falls sooner on the aggregated plan than on the serial one, but for the smallest game",
            "seconds to the same exploitability, serial by our quickest aggregated: "
            + ", ".join(f"{{{game}.figure 3.aggregated:,.3g}}" for game in GAMES)
            + "; as printed, where the same iterations are made: "
            + ", ".join(f"{{{game}.speedup.as printed:.3g}}" for game in GAMES),
            Every(*(
                Above(f"{game}.{figure}", 1)
                for figure in ("figure 3.aggregated", "speedup.as printed")
                for game in GAMES[1:]
            )),
            page=PLANS,
        ),
        Claim(
            "Figure 3, section 4",
            "on the smallest game the serial plan is best",
            f"there the aggregated plan is {{{SMALLEST}.speedup.as printed:.2f}} times as quick: no GPU has to be "
            "started",
            Below(f"{SMALLEST}.speedup.as printed", 1),
            page=PLANS,
        ),
        *TABLE,
        Claim(
            "Table 1, flattened",
            "0.42, 1.3, 4.2 and 7.0 times as quick as serial (2 x 2, 2 x 3, 2 x 4 dice, 4 x 3 cards)",
            ", ".join(f"{{{game}.speedup.flattened:.2f}}" for game in FITS) + " times, on one core",
            Every(*(
                Near(f"{paper.name}.speedup.flattened", paper.serial / paper.flattened)
                for paper in PAPER.values()
                if paper.flattened is not None
            )),
            page=PLANS,
        ),
        Claim(
            "Table 1, section 4",
            "flattened does not fit in memory beyond 4 suits 3 cards",
            "fits in 8 GiB (1) or not (0), in the order of the table: "
            + ", ".join(f"{{{game}.flattened.fits:.0f}}" for game in GAMES),
            All(
                *(Above(f"{game}.flattened.fits", 0.5) for game in FITS),
                *(Below(f"{game}.flattened.fits", 0.5) for game in TOO_LARGE),
            ),
            page=PLANS,
        ),
        Claim(
            "Section 4",
            "the aggregated plan is quicker than the flattened one on cards (1.39 times on 4 suits 3 cards)",
            f"{{{FITS[-1]}.flattened by aggregated:.1f}} times, on one core, where flattening gains nothing",
            Near(f"{FITS[-1]}.flattened by aggregated", 1.39),
            page=PLANS,
        ),
        Claim(
            "Section 4",
            "and replacing vector products by matrix products is why",
            "on one core: "
            + "; ".join(
                f"{game} {{{game}.seconds.as printed:.3g}} s with products, {{{game}.seconds.quickest:.3g}} s swept"
                for game in CARDS
            ),
            page=PLANS,
            missing=not_tested(
                "one product for a board was not timed against one for each terminal, and sweeps are "
                "ours"
            ),
        ),
        Claim(
            "Table 1, Bluff",
            "the flattened plan is quicker than the aggregated one (1.1 to 1.6 times; we ask: at least as quick)",
            "flattened takes " + ", ".join(f"{{{game}.flattened by aggregated:.1f}}" for game in BLUFF)
            + " times the aggregated plan's seconds, on one core",
            Every(*(Below(f"{game}.flattened by aggregated", 1) for game in BLUFF)),
            page=PLANS,
        ),
        Claim(
            "Sections 1 and 5",
            "the procedure does not depend on the algorithm or the implementation",
            "every rule runs on every plan",
            tests=(
                f"{INVARIANCE}::test_one_iteration",
                "tests/engines/public/test_devices.py::test_the_standards_reference_gives_numpys_numbers",
            ),
        ),
        Claim(
            "Sections 1 and 3.2.2",
            "it runs on GPUs and uses their tensor cores",
            missing=not_tested("there was no GPU; arrays of other libraries run, on processors"),
        ),
        Claim(
            "Appendix A.2",
            "the average strategies are an epsilon equilibrium where every player's regret by T is below epsilon "
            "/ 2",
            "each player's gain is at most twice the larger regret by T, T = 1 to 100 on Kuhn and Leduc",
            tests=(f"{BOUNDS}::test_regrets_of_each_player",),
        ),
        Claim(
            "Appendix A.2",
            "a player's regret is at most the sum of its infosets' immediate regrets",
            "on Kuhn and Leduc; read with the positive part, the largest over actions and 1 / T on the left, too, "
            "which the print leaves out, and as <=",
            tests=(
                f"{BOUNDS}::test_regrets_of_each_player",
                f"{BOUNDS}::test_exploitability_is_below_the_sum_of_regrets",
            ),
        ),
    ),
)  # fmt: skip
