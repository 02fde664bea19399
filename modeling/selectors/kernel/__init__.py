"""Read one kernel: its values, curves, segments, and models of all modelers.

Tables of all kernels of a run are in `run`.
"""
