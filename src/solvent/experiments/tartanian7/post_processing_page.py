"""The results page of the post-processing experiment: our table beside Table 2 of the paper."""

from __future__ import annotations

from pathlib import Path

from solvent.experiments.page import Reading, Summary, markdown_table, write_csv, write_page
from solvent.experiments.tartanian7.figures import post_processing_figures
from solvent.experiments.tartanian7.post_processing import (
    BETS,
    PAPER,
    POSTS,
    PostProcessingTable,
    average,
    least,
)


def write_results(found: PostProcessingTable, page: Path, command: str) -> None:
    """Write the results page and its CSV."""
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
    figures = post_processing_figures(found)
    write_page(page, "Post-processing", command, _three_lines(found), body, figures)


def _three_lines(found: PostProcessingTable) -> Reading:
    best_mean = max(POSTS, key=lambda post: average(found.row(post)))
    lost = {row.post: row.mbb for row in found.responses if row.opponent == "fcpa"}
    safest = min(lost, key=lambda post: lost[post])
    return Reading(
        "Brown, Ganzfried and Sandholm (2015): New-0.2 wins more than no post-processing, on average and at worst.",
        f"`{best_mean}` wins most on average; `new(0.2)` wins {average(found.row('new(0.2)')):+,.0f} mbb/hand "
        "and no "
        f"post-processing {average(found.row('none')):+,.0f}. A local best response wins least from `{safest}`: "
        f"{lost['none']:,.0f} mbb/hand from `none`, {lost['new(0.2)']:,.0f} from `new(0.2)`.",
        "Post-process against opponents who do not adapt, and leave the strategy alone against those who do.",
    )


def reading(found: PostProcessingTable) -> str:
    """Say which post-processing comes out best, by each measure."""
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


def summary(found: PostProcessingTable) -> Summary:
    """The table that the command prints."""
    names = [name.partition(":")[0] for name in found.opponents]
    rows = []
    for post in POSTS:
        row = found.row(post)
        numbers = (f"{one.mbb:+,.0f} ± {one.interval:,.0f}" for one in row)
        rows.append([post, *numbers, f"{average(row):+,.0f}", f"{least(row):+,.0f}"])
    records = [*found.rows, *found.responses]
    return Summary("mbb/hand", ["post-processing", *names, "mean", "least"], rows, records)
