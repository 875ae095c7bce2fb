"""The claims of Lin (2024), Laptop MCCFR, in the order of the paper. Its BB/hand are mbb/hand here, x 1,000."""

from __future__ import annotations

from solvent_papers.laptop_mccfr.reward_figure import PAPER_REWARDS
from solvent_papers.laptop_mccfr.style_figures import PAPER_WINS, STYLES
from solvent_papers.ledger.claims import (
    Above,
    All,
    Below,
    Claim,
    Every,
    Increasing,
    Near,
    Paper,
    Won,
    not_built,
    not_tested,
)

BOTS = "laptop-mccfr"
OPTIONS = "sampling-options"
SPEED = "training-speed"
GAMES = ("leduc", "flop_holdem", "holdem")
RULES = "tests/abstraction/test_rule_buckets.py"
AGENTS = "tests/play/test_table_agents.py"


def _less_exploitable(option: str, when: str) -> Every:
    """Surely less exploitable than without the option, on every game."""
    return Every(*(Below(f"{option}.{game}.{when}.high", 1) for game in GAMES))


def _by_game(option: str, when: str) -> str:
    """Ratios with their intervals, by game."""
    return ", ".join(
        f"{{{option}.{game}.{when}:.2f}} [{{{option}.{game}.{when}.low:.2f}}, {{{option}.{game}.{when}.high:.2f}}]"
        for game in GAMES
    )


def _meetings(name: str, digits: str = ",.0f") -> str:
    return ", ".join(f"{style} {{{name}.{style}:{digits}}}" for style in STYLES)


def _wins_from_all(name: str) -> All:
    """Surely above 0 against every variant: the rule of Figures 1 and 8 and of section 9."""
    return All(*(Above(f"{name}.{style}.low", 0) for style in STYLES))


TRAINING = (
    Claim(
        "Section 4",
        "MCCFR needs more iterations than full CFR and less time",
        missing=not_tested("never timed against each other on the paper's game, which full CFR cannot walk"),
    ),
    Claim(
        "Section 5",
        "there are more infosets than atoms in the universe",
        missing=not_tested("not counted here"),
    ),
    Claim(
        "Section 5",
        "buckets leave many orders of magnitude fewer strategies, so training comes near an equilibrium sooner",
        missing=not_tested("the bots were not trained without buckets, which would not fit in memory"),
    ),
    Claim(
        "Section 5",
        "before the flop, buckets by ranks and suitedness lose nothing",
        "169 classes, a bucket each",
        tests=(f"{RULES}::test_before_the_flop_a_bucket_is_a_class",),
    ),
    Claim(
        "Section 5",
        "hands that share a bucket after the flop are played about alike",
        missing=not_tested("its buckets are lost with Figure 4"),
    ),
    Claim(
        "Section 5",
        "buckets by rule are effective (we ask: a table of ours is not surely behind as many clustered buckets, at "
        "equal iterations)",
        "{buckets.rules from emd:,.0f} [{buckets.rules from emd.low:,.0f}, {buckets.rules from emd.high:,.0f}] "
        "mbb/hand won from buckets by the earth mover's distance",
        Above("buckets.rules from emd.high", 0),
        page=BOTS,
        missing=not_tested("the comparison has not been run"),
    ),
    Claim(
        "Figure 4",
        "after the flop: made hand, board texture, draws and raising history",
        missing=not_tested("the chart is lost; a table of our own stands in for it, the preset `rules`"),
    ),
    Claim(
        "Section 6.1",
        "threads inside a traversal, a lock for each infoset: 30 s to 0.5 s an iteration, 60 times",
        "{threads.inside:.4f} times one thread's rows a second, on two cores, which cannot give 60 times; an "
        "iteration takes microseconds here, not 30 s, and making threads takes longer",
        Near("threads.inside", 60),
        page=SPEED,
    ),
    Claim(
        "Section 6.1",
        "the locks are the main bottleneck",
        "with locks {threads.rows by none:.2f} of the rows without, traversals side by side",
        page=SPEED,
        missing=not_tested("the paper's threads are inside a traversal"),
    ),
    Claim(
        "Section 6.1",
        "best: a thread for more than 3 actions, before and on the flop",
        missing=not_tested("the condition is built; no other conditions were timed"),
    ),
    Claim(
        "Section 6.2",
        "least probability 0.01 - 2.5e-7 x, 0 from 40,000 games on; the altered strategy is averaged",
        "as printed",
        tests=(
            "tests/engines/history/test_sampling.py::test_exploration_decays_as_the_paper_says",
            "tests/engines/history/test_sampling.py::test_the_altered_strategy_enters_the_average",
        ),
    ),
    Claim(
        "Section 6.2",
        "exploration decay lowers the variance early in training",
        "deviation over seeds after 10,000 iterations, three small games together: "
        "{exploration decay.deviation:.2f} "
        "[{exploration decay.deviation.low:.2f}, {exploration decay.deviation.high:.2f}] of that without",
        page=OPTIONS,
        missing=not_tested("8 seeds cannot decide: the interval has a third less and a half more"),
    ),
    Claim(
        "Section 6.2",
        "the same on no-limit hold'em",
        missing=not_tested("exploitability is not known there, and too few bots were trained"),
    ),
    Claim(
        "Section 6.2",
        "with decay the average still converges (we ask: in the end surely below 1.2 times the exploitability "
        "without)",
        f"exploitability by that without: {_by_game('exploration decay', 'last')}",
        Every(*(Below(f"exploration decay.{game}.last.high", 1.2) for game in GAMES)),
        page=OPTIONS,
    ),
    Claim(
        "Section 6.2",
        "a larger least probability learns worse, a smaller one makes no difference",
        missing=not_tested("no other schedules were run"),
    ),
    Claim(
        "Section 6.3",
        "the reward functions y1 to y4",
        "as printed",
        tests=(
            "tests/engines/history/test_sampling.py::test_losses_feel_as_the_paper_says",
            "tests/training/test_blueprint.py::test_biased_rewards_are_the_papers",
        ),
    ),
)

REWARDS = (
    *(
        Claim(
            f"Figure 5, {winner} against {loser}",
            f"{winner} wins {abs(paper):,.0f} mbb/hand",
            f"{{{winner} from {loser}:,.0f}} [{{{winner} from {loser}.low:,.0f}}, "
            f"{{{winner} from {loser}.high:,.0f}}]",
            Won(f"{winner} from {loser}", abs(paper)),
            page=BOTS,
        )
        for (first, second), paper in PAPER_REWARDS.items()
        for winner, loser in [(first, second) if paper > 0 else (second, first)]
    ),
    Claim(
        "Figure 5, worst profit",
        "y2 60, y4 -60, y3 -100, y1 -300 (section 6.3 orders them y2, y3, y4, y1, against its own table)",
        "y2 {worst.y2:,.0f}, y4 {worst.y4:,.0f}, y3 {worst.y3:,.0f}, y1 {worst.y1:,.0f}",
        Increasing(("worst.y1", "worst.y3", "worst.y4", "worst.y2")),
        page=BOTS,
    ),
    Claim(
        "Section 6.3",
        "a biased reward is beneficial (we ask: less exploitable, in true chips)",
        f"exploitability by that of true rewards (leduc, flop, turn): y2 {_by_game('reward y2', 'last')}; y3 "
        "{reward y3.leduc.last:.1f}, {reward y3.flop_holdem.last:.2f}, {reward y3.holdem.last:.2f}; y4 in units "
        "of a hundredth of the largest loss "
        f"{', '.join(f'{{reward y4, largest loss 100.{game}.last:.2f}}' for game in GAMES)}",
        Every(*(
            Below(f"{reward}.{game}.last.high", 1)
            for reward in ("reward y2", "reward y3", "reward y4, largest loss 100")
            for game in GAMES
        )),
        page=OPTIONS,
    ),
    Claim(
        "Figure 6",
        "three strategies added up and normalised: .23, .47, .30",
        "as printed",
        tests=("tests/strategy/test_ensemble.py::test_probabilities_are_added_as_in_the_paper",),
    ),
    Claim(
        "Section 6.4",
        "an ensemble of 4 increases performance",
        f"exploitability by one model's: {_by_game('4 models, summed', 'last')}; by one trained as long as all "
        f"four "
        "{4 models, summed.leduc.fair:.2f}, {4 models, summed.flop_holdem.fair:.2f}, "
        "{4 models, summed.holdem.fair:.2f}",
        _less_exploitable("4 models, summed", "last"),
        page=OPTIONS,
    ),
    Claim(
        "Section 6.4",
        "an ensemble of 4 lowers the variance",
        "deviation over seeds, pooled over three small games: {4 models, summed.deviation:.2f} "
        "[{4 models, summed.deviation.low:.2f}, {4 models, summed.deviation.high:.2f}] of one model's",
        Below("4 models, summed.deviation.high", 1),
        page=OPTIONS,
    ),
    Claim(
        "Section 7",
        "a prior by win rates: below 20 %, mostly fold or check",
        "so, and it survives the first visits",
        tests=(
            "tests/strategy/test_ensemble.py::test_the_prior_follows_win_rates",
            "tests/training/test_blueprint.py::test_initial_weights_are_the_prior_of_win_rates",
            "tests/training/test_blueprint.py::test_the_prior_is_renewed_where_nothing_was_learned_and_played_where_"
            "nothing_was_visited",
        ),
    ),
    Claim(
        "Section 7",
        "initial weights save training time",
        f"exploitability after 10,000 iterations by that without: {_by_game('initial weights', 'first')}; in the "
        f"end {', '.join(f'{{initial weights.{game}.last:.2f}}' for game in GAMES)}",
        _less_exploitable("initial weights", "first"),
        page=OPTIONS,
    ),
    Claim(
        "Section 7",
        "the same on no-limit hold'em (we ask: head to head surely ahead after 30 s, 2 and 10 minutes)",
        "wins from uniform play at first, in mbb/hand: after 30 s {prior.weights from plain.30:,.0f} "
        "[{prior.weights from plain.30.low:,.0f}, {prior.weights from plain.30.high:,.0f}], 2 min "
        "{prior.weights from plain.120:,.0f} [{prior.weights from plain.120.low:,.0f}, "
        "{prior.weights from plain.120.high:,.0f}], 10 min {prior.weights from plain.600:,.0f} "
        "[{prior.weights from plain.600.low:,.0f}, {prior.weights from plain.600.high:,.0f}]",
        All(*(Above(f"prior.weights from plain.{seconds}.low", 0) for seconds in (30, 120, 600))),
        page=BOTS,
        missing=not_tested("the comparison has not been run"),
    ),
)  # fmt: skip

PLAYING = (
    Claim(
        "Section 8",
        "seven variants: the bot's own strategy with folds, calls and raises made more or less probable",
        "as described, by factors of our own",
        tests=(f"{AGENTS}::test_styles_multiply_weights", f"{AGENTS}::test_hands_part_tight_from_aggressive"),
    ),
    Claim(
        "Section 8",
        "a bot that plays an equilibrium is profitable against every variant of itself",
        missing=not_tested(
            "no bot of ours is near an equilibrium; in theory it loses to none, and breaks even with a variant "
            "that "
            "weighs otherwise what it mixes itself"
        ),
    ),
    Claim(
        "Figure 1",
        "on average the bots beat all variants of themselves (we ask: surely above 0 against each of the seven)",
        f"{_meetings('mean')} mbb/hand",
        _wins_from_all("mean"),
        page=BOTS,
    ),
    Claim(
        "Figure 1, section 8",
        "a bot that beats its variants is unlikely to be exploitable",
        missing=not_tested("no bot of ours beats all its variants; exploitability is measured by best responses"),
    ),
    Claim(
        "Section 9",
        "the bot is not exploitable: it loses to no variant (we ask the same)",
        f"the ensemble's: {_meetings('ensemble')} mbb/hand",
        _wins_from_all("ensemble"),
        page=BOTS,
    ),
    *(
        Claim(
            f"Figure 7, {style}",
            f"the ensemble wins {paper:,.0f} mbb/hand",
            f"{{ensemble.{style}:,.0f}} [{{ensemble.{style}.low:,.0f}}, {{ensemble.{style}.high:,.0f}}]",
            Won(f"ensemble.{style}", paper),
            page=BOTS,
        )
        for style, paper in PAPER_WINS.items()
    ),
    Claim(
        "Figure 8",
        "each of four bots is profitable against virtually all its variants (we ask the same)",
        f"the worst bot's: {_meetings('worst bot')} mbb/hand",
        _wins_from_all("worst bot"),
        page=BOTS,
    ),
    Claim(
        "Section 9",
        "of the five variants of Figure 7, tight-aggressive is the hardest",
        "tight-aggressive {mean.tight-aggressive:,.0f}, tight {mean.tight:,.0f}, calling machine "
        "{mean.calling-machine:,.0f} mbb/hand",
        All(*(
            Increasing(("mean.tight-aggressive", f"mean.{style}"))
            for style in PAPER_WINS
            if style != "tight-aggressive"
        )),
        page=BOTS,
    ),
    Claim(
        "Section 9",
        "Figure 1 is the mean of Figure 8",
        missing=not_tested("the numbers of neither are in our text"),
    ),
    Claim(
        "Section 9",
        "bots struggle against tight-aggressive play since they do not learn in play",
        missing=not_tested("no bot of ours learns in play"),
    ),
    Claim("Section 9", "play against experienced humans (no result given)", missing=not_tested("no humans played")),
    Claim(
        "Section 10",
        "100 big blinds; raises to 1, 2, 4, 8, 16 BB, then 0.3 to 2 pots",
        "the preset `laptop`, which also has all-in; our bots were trained with fewer sizes",
        tests=("tests/forms/test_betting.py::test_presets_start_as_they_say",),
    ),
    Claim(
        "Section 10",
        "these changes to the game hardly affect how it is to be played",
        missing=not_tested("no bot was trained on the game without them"),
    ),
    Claim(
        "Section 10",
        "these raise sizes need no action abstraction, and tell intentions apart",
        missing=not_tested("no other sizes were trained"),
    ),
    Claim(
        "Section 10",
        "other stack depths would need a training each",
        missing=not_tested("bots were trained at 100 big blinds alone"),
    ),
    Claim(
        "Section 10",
        "the bot takes 1 gigabit",
        missing=not_tested("its buckets are lost with Figure 4, so its size is not comparable"),
    ),
    Claim(
        "Section 11",
        "deep CFR may converge sooner",
        missing=not_built("deep CFR is not built", "solvent solve leduc --rule deep_cfr", "deep_cfr|neural net"),
    ),
    Claim(
        "Section 12",
        "a bot for more than two players",
        missing=not_built("agents play heads-up alone", "solvent train --players 3", "multi-?way|three-handed"),
    ),
)  # fmt: skip

LAPTOP_MCCFR = Paper(
    "003",
    "Laptop MCCFR",
    "Lin (2024), 4 improvements to Monte Carlo counterfactual regret minimization for Texas heads up no limit "
    "poker",
    "The paper gives neither the factors of its variants nor its intervals; ours are documented, so winnings stand "
    "beside the paper's and are not the same experiment: ours have other buckets, fewer bet sizes and equal "
    "iterations, with 95 % intervals over seeds and deals. Exploitability is "
    "measured on Leduc, a small flop hold'em and a small hold'em to the turn, in this order. Figures 2 and 3 "
    "are illustrations.",
    (*TRAINING, *REWARDS, *PLAYING),
)
