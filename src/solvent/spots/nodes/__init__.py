"""Nodes of a solved spot: strategy, EVs, equities and weights by hand.

`solution` answers for a line of play (`SpotSolution.at`) with a `node` (`SpotNode`). `lines` reads lines and
finds the board that stands for the cards in them, `answers` computes values and equities at nodes once for all that
ask, and `grid` draws a strategy. `listings` filters and sorts hands, `exports` writes nodes for other programs, and
`comparison` sets two runs side by side. Start with `solution`.
"""
