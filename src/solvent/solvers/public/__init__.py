"""Full-width CFR on the public form, for games whose hands are dealt and all else is public.

May import `passes`, `response`, `solvers.history`, the rules and settings of `solvers`, and what lies below
them.

Start with `solver` (`PublicSolver`: plan x evaluator x rule x update mode). The aggregated plan runs as vectors
(`passes.public_pass`), as pairs of sequences (`sequences`), as shapes of betting nodes (`shapes`,
`shape_kernels`) or on arrays of any library (`arrays`, `array_layout`, `devices`); the serial and branched
plans walk histories without storing them (`walk`, `walk_kernels`). `bucketed` solves card abstractions.
"""
