"""Kernels that follow one law up to a break and another one beyond it.

The evidence modeler finds the laws of the segments.
"""
