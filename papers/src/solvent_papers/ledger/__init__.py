"""The ledger of the papers' claims: every table, figure, theorem and stated result, with the verdict on it.

`ledger` reads the claims from `claims/PAPER.toml` and finds the verdicts by the figures that experiments wrote
beside their pages; `ledger_page` writes docs/results/index.md. Nothing here measures anything.
"""
