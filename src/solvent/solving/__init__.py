"""The verb `solve`: from a game and settings to a strategy.

`solve` lets `choose` make a solver from a game and `settings`, where every option is declared once
(`option_checks` reads their values, `option_types` types them for editors), and has `session` drive it to its
limits. The outcome is a `result`. `job` runs any such work on a thread, to be watched, paused and stopped.
`measure` has best responses and exploitability for strategies of any form; `curves` draws the measurements of
runs. Imports engines and what lies below them. Start with `solve`.
"""
