"""Weighted draws from the posterior over a kernel's laws.

The package `search` supplies the laws. The *level* of noise is the scale of the repetitions' scatter. A
Gaussian process (`deviations.processes` of the engine) has a *kind*, which tells its parameters and over what
length it changes. Its *size* is its standard deviation. Its *nugget* is the standard deviation of an
additional independent error of each point.
"""
