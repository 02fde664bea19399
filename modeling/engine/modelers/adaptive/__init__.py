"""The adaptive modeler: a neural network proposes each parameter's exponents (docs/methods.md#adaptive,
Ritter et al. 2021).

A *task* is what the kernels of a campaign have in common: points, repetitions and noise. The network can be
adapted to it. A *class* is an exponent pair (i, j) that the network distinguishes. Noise is assumed to be
uniform. Its *width* is the full range of repetitions divided by the true value: with 50 % of noise,
repetitions are 0.75 to 1.25 times the true value.
"""
