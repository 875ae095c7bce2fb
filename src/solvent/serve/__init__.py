"""Services for other programs and pages: protocols, lists of runs, and kernels compiled beforehand.

`upi/` speaks the protocol of other solvers' viewers and scripts, `runs` lists the runs in a folder, and `warming`
compiles kernels before they are needed. This room imports every room left of it and is imported by `app` alone.
"""
