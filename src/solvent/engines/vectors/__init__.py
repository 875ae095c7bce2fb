"""Vector instructions and the loops made of them, which the kernels of every form use.

`matching` has regret matching and the regret update for loops of every shape. `code` is how instructions are
written in LLVM IR; `elementwise` and `sweep_instructions` are those that matching and the showdown sweeps are made
of. Start with `matching`.
"""
