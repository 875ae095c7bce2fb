"""The frame of all experiments: what one declares, how it is run, judged and written down.

`experiment` has the declarations, `running` runs parts and keeps their records, `judging` gives verdicts on claims
and on our own bars, `pages` makes a results page from a template and the records, `machine` says what a result was
made with, `drawing` has what pictures share, and `cards` what experiments with card abstractions share. Start with
`experiment`.
"""
