"""Deviations of kernels from their laws: smooth processes in log x, and joint draws of many kernels.

The laws that kernels deviate from are found in `modelers`.
"""
