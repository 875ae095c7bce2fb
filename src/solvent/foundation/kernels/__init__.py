"""Compiled code: how it is made, kept and run.

`compiling` has the decorators of all compiled functions, `compilations` says when something is being compiled,
`caching` keeps compiled kernels on the disk and `stamps` says of which state of the code they are, `intrinsics`,
`randomness` and `memory` are what kernels are made of, and `threads` hands work out to threads. It imports the rest
of `foundation` alone. Start with `compiling`.
"""
