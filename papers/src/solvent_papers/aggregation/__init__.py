"""Experiments of the aggregation paper: the speed of CFR on every execution plan.

`plans` measures Table 1 and Figure 3, `full_deck` solves flop hold'em with all 52 cards, `openspiel_speed`
compares with OpenSpiel, and `bandwidth` measures what memory allows at most. Start with `plans`.
"""
