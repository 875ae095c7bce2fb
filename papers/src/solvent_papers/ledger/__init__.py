"""The ledger of the papers' claims: every table, figure, theorem and stated result, with the verdict on it.

`claims` reads the claims from `claims/PAPER.toml`, `results` the figures that experiments wrote beside their pages,
`ledger` finds the verdicts, and `ledger_page` writes docs/results/index.md. Nothing here measures anything.
Start with `claims`.
"""
