"""The hold'em form, its kernels and its solver against a slow twin, closed answers and other forms.

`twin` computes everything by recursion over all boards and pairs of hands; `compare` sets a solver beside it;
`small_spots` draws spots that the twin can play through.
"""
