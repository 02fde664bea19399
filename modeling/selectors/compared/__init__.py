"""Compare modelers by the errors of their runs over all kernels of a campaign.

The comparison of modelers for a single kernel is in `modeling/selectors/kernel/modelers.py`.
"""
