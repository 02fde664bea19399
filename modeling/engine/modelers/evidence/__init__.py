"""The default modeler: a posterior over all laws, coefficients and kinds of noise (METHODS §2.6)."""
