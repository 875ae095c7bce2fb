"""The public form of small games: full-width solvers on a betting tree times boards times hands.

`kernels` walk the form for one player (down, across the terminals, back up), `public_pass` runs such passes on
threads, and `terminals` and `swept` evaluate terminals. `solver` applies a regret rule (`PublicSolver`),
`response` finds best responses, `bucketed` solves abstractions. `walk` is the serial plan on this form, `shapes`
groups nodes of one shape, `arrays/` runs the aggregated plan on a library for arrays, and `pruned/` prunes. Start
with `solver`.
"""
