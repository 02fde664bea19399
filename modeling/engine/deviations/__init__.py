"""Deviations of kernels from their laws: Gaussian processes in log x, and joint draws of many kernels.

In this package, a process is a Gaussian process; MPI processes are called so in full. The modules of
`modelers` find the laws from which kernels deviate.
"""
