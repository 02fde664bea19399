"""Write changes of kernels: comparisons of campaigns, joined kernels, and results of expectations.

The package `alerts` writes the alerts about them, and `modeling.engine.changes` finds the differences.
"""
