"""Vector instructions and the loops made of them, which the kernels of every form use.

`matching` has regret matching and the regret update for loops of every shape; `elementwise` and
`sweep_instructions` are the instructions that those and the showdown sweeps are made of. This is where LLVM IR
is written. Start with `matching`.
"""
