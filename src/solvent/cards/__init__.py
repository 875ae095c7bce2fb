"""Playing cards: names, ranges, the hand evaluator, suit isomorphism and equities.

This room may import only `foundation`. Cards are numbers from 0 to 51, rank by rank (`deck`). `ranking` says
in plain NumPy which hand beats which; `evaluator` says it fast, from tables; `isomorphism` numbers hands up
to suits; `showdown` and `equity` compare hands over boards. Start with `deck`, then `evaluator`.
"""
