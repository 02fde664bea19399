"""The adaptive modeler: a neural network proposes each parameter's exponents (docs/methods.md#adaptive,
Ritter et al. 2021).

This package contains the network with its shipped weights, its training on synthetic data, its adaptation to
a *task*, and the modeler that uses it. A task is what the kernels of a campaign have in common: points,
repetitions and noise. A *class* is an exponent pair (i, j) that the network distinguishes. The noise is
assumed to be uniform around the true values; its *width* is the full range of repetitions, divided by the
true value: with 50 % of noise, repetitions are 0.75 to 1.25 times the true value.
"""
