"""Finds the differences between kernels of two campaigns: verdicts, ratios, and the shift that all kernels
share.

Which campaigns are compared is decided in `modeling.services`.
"""
