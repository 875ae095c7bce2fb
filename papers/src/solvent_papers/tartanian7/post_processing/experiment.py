"""The parts of `solvent reproduce post-processing`, run one after another; each is kept once it is done."""

from __future__ import annotations

from solvent_papers.parts import Part
from solvent_papers.tartanian7.post_processing.chosen import CHOSEN
from solvent_papers.tartanian7.post_processing.players import AGENT, OPPONENTS, Setup, training_part
from solvent_papers.tartanian7.post_processing.price import PRICE
from solvent_papers.tartanian7.post_processing.strength import STRENGTH
from solvent_papers.tartanian7.post_processing.table_two import TABLE_TWO

PARTS: tuple[Part[Setup], ...] = (
    *map(training_part, (AGENT, *OPPONENTS)),
    STRENGTH,
    TABLE_TWO,
    CHOSEN,
    PRICE,
)
"""In the order in which they are run and stand on the page; each of the last four needs those before it."""
