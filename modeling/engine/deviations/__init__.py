"""Deviations of kernels from their laws: Gaussian processes in log x, and joint draws of many kernels.

In this package, a process is a Gaussian process, unless another meaning is stated. The laws from which
kernels deviate are found in `modelers`.
"""
