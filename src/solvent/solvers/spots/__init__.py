"""What is asked of a solved spot.

`solution` answers for a line of play (`SpotSolution.at`) with a `node` (`SpotNode`): strategy, EVs, equities and
weights by hand. `lines` reads lines and finds the board that stands for the cards in them, `showdowns` counts how
pairs of hands fare on the boards to come, `answers` keeps what the solver says of nodes, by a `branch` where one
board is enough, `grid` draws a strategy and `locking` locks one. `opening` opens the folder of a run (`open_spot`);
`flops` solves a spot on many flops. `spot_file` and `texas_file` read spots from files. `spot` is the front for
Python, `solvent.Spot`. Imports from `solvers.holdem` and what that may import. Begin with `solution`.
"""
