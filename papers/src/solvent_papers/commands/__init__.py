"""The commands `solvent bench` and `solvent reproduce`, found by the entry points `solvent.commands`."""
