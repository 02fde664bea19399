"""Deviations of kernels from their laws: Gaussian processes in log x, and joint draws of many kernels."""
