"""Writes changes of kernels: comparisons of campaigns, joined kernels, and results of expectations.

Alerts that follow are written in `alerts`; the differences are found by `modeling.engine.changes`.
"""
