"""laptop_mccfr."""
