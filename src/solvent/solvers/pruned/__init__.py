"""pruned."""
