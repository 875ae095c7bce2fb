"""The subcommands of `solvent spot`, `report` and `exploit`, and the `words` that all of it reads."""
