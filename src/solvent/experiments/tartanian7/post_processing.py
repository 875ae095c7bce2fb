"""Post-processing an agent's strategy: Table 2 of the 2014 champion's paper, at this machine's scale.

One agent, the same tables each time, played as it is, purified, thresholded and by New-0.2, against opponents of
different making: another betting tree, other bet sizes with biased rewards, a player who knows nothing but win
rates, and one who always calls. What each post-processing wins on average and at worst, and what it costs against a
local best response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.local_best_response import LocalBestResponse
from solvent.experiments.laptop_mccfr.bots import train_to
from solvent.experiments.page import markdown_table, write_csv, write_page
from solvent.play.agents import AgentLoader
from solvent.play.matches import Match
from solvent.solvers.blueprint.training import TrainingDesign

POSTS = ("none", "purify", "threshold(0.15)", "new(0.2)", "purify(first=false)", "new(0.2,first=false)")
PAPER = {
    "none": ("+30 ± 32", "+10 ± 27", 20, 10),
    "purify": ("+55 ± 27", "+19 ± 22", 37, 19),
    "threshold(0.15)": ("+35 ± 30", "+19 ± 25", 27, 19),
    "new(0.2)": ("+39 ± 26", "+103 ± 21", 71, 39),
}
"""Table 2: mbb/hand against both opponents, mean and least."""
AGENT = "fcpa"
OPPONENTS = {
    "acpc": ("more bet sizes", "acpc", "y1"),
    "thirds": (
        "other bet sizes, losses felt 1.5 times",
        "preflop=2.5x,a | 70%,a; postflop=66%,a; cap=3; stack=200",
        "y2",
    ),
}
"""Trained opponents: what they are, their betting and their rewards."""
BETS = {"fc": "fold and call alone", "fcpa": "fold, call, pot and all-in on the turn and river"}

Say = Callable[[str], None]


@dataclass(frozen=True)
class Scale:
    """How much is trained, played and measured."""

    seconds: float = 60.0
    """Of training, each agent."""
    hands: int = 400_000
    lbr_hands: int = 8_000


QUICK = Scale(seconds=1.0, hands=2_000, lbr_hands=20)


@dataclass(frozen=True)
class Row:
    """One post-processing against one opponent, or against a local best response."""

    post: str
    opponent: str
    hands: int
    mbb: float
    """What the agent wins a hand; for a local best response what that wins from the agent."""
    interval: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class PostProcessingTable:
    """What was measured."""

    scale: Scale
    cards: str
    opponents: dict[str, str]
    """What each is."""
    rows: list[Row]
    responses: list[Row]

    def row(self, post: str) -> list[Row]:
        """A post-processing against every opponent."""
        return [row for row in self.rows if row.post == post]


def run(
    cards: Path, work: Path, scale: Scale | None = None, threads: int = 2, progress: Say | None = None
) -> PostProcessingTable:
    """Train the agent and its opponents in `work`, or go on with them, and play."""
    scale, say = scale or Scale(), progress or (lambda text: None)
    abstraction = CardAbstraction.load(cards)

    def train(name: str, betting: str, reward: str, seed: int) -> str:
        say(f"training {name}, {scale.seconds:.0f} s")
        design = TrainingDesign(str(cards), abstraction.fingerprint, betting, reward=reward, seed=seed)
        train_to(work / name, design, scale.seconds, threads)
        return str(work / name)

    agent = train(AGENT, AGENT, "y1", 0)
    against = {
        f"O{k + 1}: {what}": train(name, betting, reward, k + 1)
        for k, (name, (what, betting, reward)) in enumerate(OPPONENTS.items())
    }
    against |= {
        f"O{len(against) + 1}: win rates alone": f"{agent}:initial-weights",
        f"O{len(against) + 2}: always calls": "always-call",
    }
    loader, rows, responses = AgentLoader(), [], []
    for post in POSTS:
        mine = loader.load(f"{agent}@{post}")
        assert mine.rules is not None
        for name, opponent in against.items():
            say(f"{post} against {name}")
            match = Match(mine, loader.load(opponent), mine.rules, scale.hands, seed=1)
            won = match.run(threads).winnings
            rows.append(Row(post, name, won.hands, won.mbb, won.mbb_interval))
        for bets in BETS:
            say(f"{post}: local best response, {bets}")
            found = LocalBestResponse(mine, bets).run(scale.lbr_hands, threads)
            responses.append(Row(post, bets, found.hands, found.mbb, found.mbb_interval))
    return PostProcessingTable(scale, abstraction.design.label, against, rows, responses)


def write_results(found: PostProcessingTable, page: Path, command: str) -> None:
    """The page and its CSV."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv([*found.rows, *found.responses], page.with_suffix(".csv"))
    names = list(found.opponents)
    table = []
    for post in POSTS:
        row = found.row(post)
        lost = [response for response in found.responses if response.post == post]
        table.append(
            [
                post,
                *(f"{one.mbb:+,.0f} ± {one.interval:,.0f}" for one in row),
                f"{average(row):+,.0f}",
                f"{least(row):+,.0f}",
                *(f"{one.mbb:,.0f} ± {one.interval:,.0f}" for one in lost),
            ]
        )
    header = ["post-processing", *(name.partition(":")[0] for name in names), "mean", "least"]
    header += [f"LBR {bets} wins" for bets in BETS]
    paper = markdown_table(
        ["post-processing", "O1", "O2", "mean", "least"],
        [[post, *numbers[:2], f"+{numbers[2]}", f"+{numbers[3]}"] for post, numbers in PAPER.items()],
    )
    opponents = "".join(f"- {name}\n" for name in names)
    body = (
        f"An agent of fcpa betting x {found.cards} cards, 200 big blinds, trained for {found.scale.seconds:.0f} "
        f"s, as its opponents; mbb/hand with 95 % intervals over {found.scale.hands:,} duplicate hands each. A "
        f"local best response (LBR: {'; '.join(f'{k}, {v}' for k, v in BETS.items())}) plays "
        f"{found.scale.lbr_hands:,} hands; what it wins is what the agent could lose at "
        f"least.\n\n{opponents}\n{markdown_table(header, table)}\nThe paper's Table 2, against the strongest two "
        f"agents of 2013:\n\n{paper}\n{reading(found)}"
    )
    write_page(page, "Post-processing", command, body)


def average(rows: Sequence[Row]) -> float:
    """The mean over opponents."""
    return sum(row.mbb for row in rows) / len(rows)


def least(rows: Sequence[Row]) -> float:
    """What is won from the opponent from whom least is."""
    return min(row.mbb for row in rows)


def reading(found: PostProcessingTable) -> str:
    """Which post-processing comes out best, by each measure."""
    best_mean = max(POSTS, key=lambda post: average(found.row(post)))
    best_least = max(POSTS, key=lambda post: least(found.row(post)))
    lost = {row.post: row.mbb for row in found.responses if row.opponent == "fcpa"}
    safest = min(lost, key=lambda post: lost[post])
    new, plain = found.row("new(0.2)"), found.row("none")
    came_out = average(new) > average(plain) and least(new) > least(plain)
    return (
        f"Here `{best_mean}` has the best mean, `{best_least}` the best least, and against the local best "
        f"response `{safest}` loses least. The paper's finding that New-0.2 is ahead of none both on average and "
        f"at worst {'comes out' if came_out else 'does not come out'} here. Post-processing trades what a perfect "
        "opponent wins for what usual opponents lose: the columns of the local best response say at what price.\n"
    )
