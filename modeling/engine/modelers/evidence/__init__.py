"""The default modeler: a posterior over laws, coefficients and kinds of noise (docs/methods.md#evidence).

This package contains the modeler, its special cases (repeated, sparse and lone points), the frequencies that
kernels share, and the summary of the draws. The package `hypotheses` defines the possible laws, and `search`
finds the likely ones. The package `noise` describes how repeated values scatter, and `draws` weighs laws and
draws coefficients from their posterior.
"""
