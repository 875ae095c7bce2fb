"""Commands that look at runs: `runs`, `show`, `compare`, `plot`, `export`, `pack`."""
