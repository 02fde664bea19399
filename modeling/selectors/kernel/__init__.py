"""Read one kernel: its values, curves, segments and modelers.

Tables of all kernels are in `run`.
"""
