"""What is asked of a solved spot: nodes by line, weights, equities and EVs against brute force, locks, drawings."""
