"""Spots whose tree grows while they are solved: bet sizes that the solver finds (Brown and Sandholm 2015, "SAEF").

`candidates` are the sizes that may be found, and `looks` chooses those that pay. `growing_solver` keeps the sums of
v(I) beside a solve and plays the recovery game of an action that is added; `adding` makes the larger tree and
installs what the recovery game found. Start reading at `adding`. It may import what `engines.holdem` imports, and
`engines.explicit.growing` for the theory.
"""
