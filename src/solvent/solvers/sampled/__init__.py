"""Monte Carlo CFR: solving with sampled passes instead of full ones.

`options` says what can be sampled and how; `exploration` holds what every sampler shares between regret matching
and the draw of an action. `history` samples any compiled game, `tables` samples betting trees times buckets. This
folder imports from `solvers` (rules, rewards) and from every room left of it. Start with `options`.
"""
