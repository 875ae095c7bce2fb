"""Games made smaller: states that are played alike, by bucket and by public cluster."""
