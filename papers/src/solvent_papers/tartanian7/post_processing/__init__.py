"""Post-processing a trained agent: Table 2 of Brown, Ganzfried and Sandholm (2015) against opponents of our own.

An agent and stronger opponents of different making are trained (`players`) and meet (`meetings`); `choice` chooses
a post-processing on half of the opponents. `experiment` has the parts and their figures.
"""
