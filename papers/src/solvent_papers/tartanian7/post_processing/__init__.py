"""Post-processing a trained agent: Table 2 of Brown, Ganzfried and Sandholm (2015) against opponents of our own.

An agent and stronger opponents of different making are trained and meet, and a post-processing is chosen on half of
the opponents (`meetings`). `experiment` has the parts and their figures.
"""
