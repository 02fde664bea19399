"""The posterior over the laws of a kernel as weighted draws, under a kind of noise or with deviating points.

The laws come from `search`; predictions are made from the draws in `results.posterior`, outside this folder.
"""
