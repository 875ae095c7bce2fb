"""Clustering of weighted points, by k-means, k-medians or the earth mover's distance.

`cluster` has the three calls that others use and is where to start reading. `lloyd` is the algorithm over any
space of points; `vectors` and `transport` are the two spaces, each with its kernels. In one dimension the earth
mover's distance is the L1 distance of cumulative histograms, so such histograms are vectors (`vector_kernels`);
over any other ground distance it is a transport problem (`transport_kernels`). `intervals` cuts a line of values
exactly. It imports only `foundation`.
"""
