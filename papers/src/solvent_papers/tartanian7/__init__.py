"""Experiments of the Tartanian7 paper: hierarchical card abstraction and post-processing.

`abstraction_quality` compares card abstractions (Algorithms 1 to 3) by the measures of `bucket_quality`, on
the hands of `abstraction_hands`; `sampled_buckets` solves a small game on such buckets and measures the
strategies against real cards; `post_processing` is Table 2; `clustering_speed` times k-means. Start with
`abstraction_quality`.
"""
