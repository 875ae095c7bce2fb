"""total_rbp."""
