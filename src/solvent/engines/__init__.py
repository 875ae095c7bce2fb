"""Engines: a folder for each form of a game, with its layout, kernels, solver and best response side by side.

`history/`, `public/`, `holdem/`, `explicit/` and `sampled/` are the forms; pruning, sampling and growing trees
are folders inside the form to which they belong. `vectors/` has the vector instructions that kernels share.
Beside the folders stands what all engines share: `solver` says what a solver is, `rules` what an iteration does
to regrets, `defaults` what an engine uses when nothing is said, `pruning` and `sampling` the options of either,
`warm_start` how to begin with a strategy, `rewards` what a solver maximises, and `local_update` how to bring an
update of one's own. Engines import forms, abstractions and strategies, and know no command and no run folder.
Start with `solver`.
"""
