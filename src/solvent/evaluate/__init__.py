"""Measuring a strategy: how much it loses at worst, what it wins from others, and whether it behaves sanely.

`evaluation` is the loop that measures part after part and keeps each; start reading there. Its parts are
`solved_parts` for solved games and `agent_parts` for trained agents (with `local_best_response`,
`response_doublings` and `behaviour`); `named` finds what a name stands for. The hands of local best response are
played by `local_response`. `learned_response` learns a best response inside a trained agent's own abstraction, and
`response_doublings` decides for how long. `sentences` says in words what was measured of an agent, and
`comparison` sets two strategies side by side. This room imports `play` and everything below.
"""
