"""Kernels that follow one law up to a break and another one beyond it.

The laws of the segments themselves are found by the evidence modeler.
"""
