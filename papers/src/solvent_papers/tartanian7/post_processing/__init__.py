"""Post-processing a trained agent: Table 2 of Brown, Ganzfried and Sandholm (2015) against opponents of our own.

An agent and stronger opponents of different making are trained (`players`); `strength` shows which opponents are at
least as strong; `table_two` plays the paper's post-processings against those; `chosen` chooses one on half of the
opponents and judges it on the others; `price` says what each loses to local best response.
"""
