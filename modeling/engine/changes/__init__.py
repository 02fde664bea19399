"""Find the differences between the kernels of two campaigns: verdicts, ratios, and the shift that all kernels
share.

The package `modeling.services` decides which campaigns are compared.
"""
