"""Weighted draws from the posterior over a kernel's laws, under a family of noise or with points that deviate
from every law.

The package `search` supplies the laws. The module `results.posterior` of the engine makes predictions from
the draws.

The *level* of noise is the scale of the repetitions' scatter, which each family of noise defines. Gaussian
processes have three properties (`deviations.processes` of the engine): the *kind* tells which parameters they
depend on and over what length they change, the *size* is the standard deviation of the process, and the
*nugget* that of an independent error of each point, which is added.
"""
