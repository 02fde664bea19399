"""The default modeler: a posterior over laws, coefficients and families of noise (docs/methods.md#evidence).

The package `hypotheses` defines the possible laws. The package `search` finds the likely laws. The package
`noise` describes the scatter of repetitions. The package `draws` draws laws and coefficients from the
posterior. These words have one meaning in all of these packages:

- A *class* is the index of an exponent pair (i, j) in `hypotheses.classes.PAIRS`.
- A *class of growth* is a coarse group of laws of one parameter (`hypotheses.growths`).
- A *process* is a Gaussian process that describes how points deviate from a law. The processes of a parallel
  program are called MPI processes.
- A kernel *deviates* if its points lie farther from every law than the scatter of repetitions explains.
  Kernels without repetitions are modelled as deviating kernels.
- A *kind of noise* is a family of noise, or deviation from every law (`sharing`).
- *Located* values are one value for each point of a kernel, with relative variances
  (`hypotheses.laws.Located`). The *precision* of a value is the inverse of its variance.
"""
