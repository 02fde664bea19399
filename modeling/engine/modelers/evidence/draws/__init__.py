"""Weighted draws from the posterior over a kernel's laws.

The package `search` supplies the laws. The *level* of noise is the scale of the repetitions' scatter. The
*kind* of a Gaussian process (`deviations.processes` of the engine) states the parameters with which the
process varies, and the length over which it changes. The *size* of a process is its standard deviation. The
*nugget* of a process is the standard deviation of an additional independent error of each point.
"""
