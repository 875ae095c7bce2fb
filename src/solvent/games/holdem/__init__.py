"""Hold'em as games: limit and no-limit on any deck, and spots.

`cards` has what they share: deck, hands, boards and strengths. Imports from `cards` and `games.betting`. Begin with
`spot` or `nolimit`.
"""
