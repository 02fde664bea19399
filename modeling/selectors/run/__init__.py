"""Read one model run: its rows as arrays, predictions at a target, shares, and its table of kernels."""
