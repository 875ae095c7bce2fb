"""Spots read from files: `spot_file` reads TOML, `texas_file` the JSON of another solver. Start with
`spot_file`.
"""
