"""Clustering of weighted points: k-means and k-medians for vectors, earth mover's distance for histograms.

`cluster` has the three calls that others use and is where to start reading. `lloyd` is the algorithm over any
space of points; `vectors` and `transport` are the two spaces, each with its kernels; `checkpoint` makes a
clustering resumable; `intervals` cuts a line of values exactly. It imports only `foundation`.
"""
