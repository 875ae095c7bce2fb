"""betting."""
