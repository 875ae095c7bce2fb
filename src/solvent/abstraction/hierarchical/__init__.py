"""Hierarchical card abstraction (Tartanian7): public states in clusters, private states in buckets inside each.

`hierarchical` is Algorithm 1, `public_clusters` is Algorithms 2 and 3 with their repaired variants, and
`public_cluster_kernels` is their compiled part. This folder imports from `foundation` only. Start with
`hierarchical`.
"""
