"""What other programs and pages are told: protocols, lists of runs, and kernels that are ready.

`upi/` speaks the protocol of other solvers' viewers and scripts, `runs` lists the runs in a folder, and `warming`
compiles kernels before they are needed. This room imports every room left of it and is imported by `app` alone.
"""
