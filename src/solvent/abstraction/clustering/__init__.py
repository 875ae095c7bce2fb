"""clustering."""
