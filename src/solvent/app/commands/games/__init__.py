"""Commands that solve: `games`, `solve`, `spot`, `upi`."""
