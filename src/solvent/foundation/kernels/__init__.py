"""How compiled code is made and run.

`compiling` has the decorators of all compiled functions, `compilations` says when something is being compiled,
`linking` keeps functions that only kernels call from becoming machine code, `intrinsics`, `randomness` and `memory`
are what kernels are made of, and `threads` hands work out to threads. It imports the rest of `foundation` alone.
Start with `compiling`.
"""
