"""Comparing modelers over all kernels of a campaign: what each of its runs would have been worth.

How a single kernel looks to all modelers is in `modeling/selectors/kernel/modelers.py`.
"""
