"""Compare modelers over all kernels of a campaign, by the errors of each of its runs.

The comparison of modelers for a single kernel is in `modeling/selectors/kernel/modelers.py`.
"""
