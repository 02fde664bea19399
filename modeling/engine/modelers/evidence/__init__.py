"""The default modeler: a posterior over laws, coefficients and families of noise (docs/methods.md#evidence).

This package contains the modeler, its special cases, the frequencies that kernels share, and the summary of
the draws. The special cases are kernels with repetitions (`repeated`), kernels that were measured at few of
the campaign's points (`sparse`), and kernels that were measured at one point (`lone_points`). The package
`hypotheses` defines the possible laws, and `search` finds the likely ones. The package `noise` describes how
repetitions scatter, and `draws` draws laws and coefficients from their posterior.

These words have one meaning in all of these packages:

- A *class* is the index of an exponent pair (i, j) in `hypotheses.classes.PAIRS`.
- A *class of growth* is a coarse group of laws of one parameter (`hypotheses.growths`).
- A *process* is a Gaussian process, which describes how points deviate from a law. The processes of a
  parallel program are called MPI processes.
- A kernel *deviates* if its points lie farther from every law than the scatter of their repetitions explains.
  Kernels without repetitions are modelled as if they deviated.
- A *kind of noise* is a family of noise, or the deviations of such kernels (`sharing`).
- Values are *located* if a kernel has one value for each point, with a relative variance
  (`hypotheses.laws.Located`). The *precision* of a value is one divided by its variance, and the weight of
  the point in least squares.
"""
