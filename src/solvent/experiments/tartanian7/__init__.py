"""tartanian7."""
