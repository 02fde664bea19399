"""The default modeler: a posterior over laws, coefficients and families of noise (docs/methods.md#evidence).

This package contains the modeler, its special cases, the frequencies that kernels share, and the summary of
the draws. The special cases are kernels with repetitions, kernels that were measured at few of the campaign's
points, and kernels that were measured at one point. The package `hypotheses` defines the possible laws, and
`search` finds the likely ones. The package `noise` describes how repetitions scatter, and `draws` draws laws
and coefficients from their posterior.

Three words have one meaning in all of these packages. A *class* is the index of an exponent pair (i, j) in
`hypotheses.classes.PAIRS`. A *class of growth* is a coarse group of laws of one parameter
(`hypotheses.growths`). A *process* is a Gaussian process, which describes how points deviate from a law; the
processes of a parallel program are called MPI processes.
"""
