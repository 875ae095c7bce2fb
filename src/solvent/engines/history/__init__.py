"""Full-width CFR on the history form, for any game that compiles to a tree.

Start with `solver` (`HistorySolver`: form x plan x rule x update mode), then `plans` for the order in which
histories are visited: `serial_kernels` walks them depth first, `flattened` level by level in arrays, and
`sequence_plan` with `sequence_kernels` folds them into pairs of sequences. All plans give the same numbers
(Corollary 1 of the aggregation paper), and one thread gives the same bits however a run is cut into calls.
`response` finds best responses, `local` runs local updates of one's own, and `linear_program` solves small games
without iterating. `pruned/` skips actions that do not matter, and `sampled/` is Monte Carlo CFR.
"""
