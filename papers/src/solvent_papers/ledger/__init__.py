"""The ledger of the papers' claims: every table, figure, theorem and stated result, with the verdict on it.

`claims` says what a claim and its criterion are; one module per paper (`tartanian7_claims`, `saef_claims`,
`aggregation_claims`, `laptop_mccfr_claims`, `total_rbp_claims`) lists its claims, each with the
criterion by which figures decide. `results` reads the figures that the experiments wrote beside their pages,
`ledger` computes the verdicts, and `ledger_page` writes docs/results/index.md. No module here measures anything.
It may import what other experiments may. Start with `claims`.
"""
