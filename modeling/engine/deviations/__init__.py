"""Deviations of kernels from their laws: Gaussian processes in log x, and joint draws of many kernels.

Here, a process is a Gaussian process. MPI processes are called so in full.
"""
