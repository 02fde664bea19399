"""Write comparisons of campaigns, joined kernels, and results of expectations.

The package `alerts` writes the alerts about them; `modeling.engine.changes` computes the differences.
"""
