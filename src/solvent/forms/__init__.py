"""The compiled shapes of a game that solvers run on."""
