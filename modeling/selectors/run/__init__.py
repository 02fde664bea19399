"""Read one model run: its rows as arrays, predictions at a target, shares, and its table of kernels.

Comparisons of several versions are in `versions`.
"""
