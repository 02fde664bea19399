"""The posterior over the laws of a kernel as weighted draws, under a kind of noise or with deviating points.

The package `search` supplies the laws. The module `results.posterior`, outside this folder, makes predictions
from the draws.
"""
