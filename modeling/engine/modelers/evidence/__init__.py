"""The default modeler: a posterior over laws, coefficients and kinds of noise (docs/methods.md#evidence)."""
