"""How local best response plays a hand; `evaluate.local_best_response` says what it is and plays many.

`kernels` plays against compiled agents, with what the response knows in `ranges`, what the agent may answer in
`answers` and, where bets have left the agent's tree, `beliefs`. `asked` plays against any other agent that says its
probabilities. Start with `kernels`.
"""
