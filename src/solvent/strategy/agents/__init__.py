"""Strategies of trained hold'em agents: probabilities by betting line and bucket.

`trained` is the strategy that can be asked by hand, `blueprint` the tables behind it, `training_run` the folder of
a training, opened; `betting_line` reads and writes the actions that lead to a decision, `decisions` describes one,
and `prior` is the strategy of win rates alone. It imports `strategy/strategy.py`, forms and abstractions. Start
with `trained`.
"""
