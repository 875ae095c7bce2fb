"""Children on a Ray cluster, on one machine or many.

`connecting` finds or starts the cluster, `probing` asks an address whether one is there, `placing` chooses a node
for each actor by memory, `actors` are the workers there. Ray is imported when a cluster is asked for. This folder
imports from `training/distributed` and from `foundation`. Start with `actors`.
"""
