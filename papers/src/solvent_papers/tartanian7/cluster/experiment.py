"""The parts of `solvent reproduce tartanian7`, run one after another; each is kept once it is done."""

from __future__ import annotations

from solvent_papers.parts import Part
from solvent_papers.tartanian7.cluster.cost import COST
from solvent_papers.tartanian7.cluster.figure_one import FIGURE_ONE
from solvent_papers.tartanian7.cluster.part import Setup
from solvent_papers.tartanian7.cluster.resumed import RESUMED
from solvent_papers.tartanian7.cluster.staleness import STALENESS
from solvent_papers.tartanian7.cluster.table_one import TABLE_ONE

PARTS: tuple[Part[Setup], ...] = (FIGURE_ONE, TABLE_ONE, COST, RESUMED, STALENESS)
"""In the order in which they are run and stand on the page. Table 1 plays with what Figure 1 trained."""
