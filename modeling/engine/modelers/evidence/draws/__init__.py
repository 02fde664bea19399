"""Weighted draws from the posterior over a kernel's laws, under a family of noise or with points that deviate
from every law.

The package `search` supplies the laws. The module `results.posterior` of the engine makes predictions from
the draws.
"""
