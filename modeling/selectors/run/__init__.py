"""One model run: its rows as arrays, predictions at a target, shares, and its table of kernels.

Several versions side by side are in `versions`.
"""
