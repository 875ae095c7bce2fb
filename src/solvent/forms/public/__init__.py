"""The public form of small games: a betting tree times boards times hands.

`game` compiles a game (`PublicGame`), with boards that differ in suits alone solved once. `sequences` gives its
sequence form, `unroll` turns it into histories, and `size` counts a form before it is built. Start with `game`.
"""
