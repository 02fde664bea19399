"""The default modeler: a posterior over laws, coefficients and kinds of noise (docs/methods.md#evidence).

Here lie the modeler, its cases (repeated, sparse and lone points), the frequencies that kernels share, and
the summary of the draws. `hypotheses` says which laws are possible, `search` finds the likely ones, `noise`
says how values scatter, and `draws` weighs laws and draws from them.
"""
