"""Hands of local best response; `evaluate.local_best_response` explains it and plays many.

`kernels` plays against compiled agents, with the knowledge of the response in `ranges`, the answers of the agent in
`answers` and, where bets have left the agent's tree, `beliefs`. `asked` plays against any other agent that says its
probabilities. Start with `kernels`.
"""
