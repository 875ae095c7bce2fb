"""Fewer hands than there are: features of hands, and the buckets that alike ones share."""
