"""foundation."""
