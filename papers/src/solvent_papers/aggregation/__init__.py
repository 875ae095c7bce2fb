"""Experiments of the aggregation paper: the speed of CFR on every execution plan.

`plans` measures Table 1 and Figure 3 and makes the paper's page, `full_deck` solves flop hold'em with all 52 cards;
`timing` has what they share. Start with `plans`.
"""
