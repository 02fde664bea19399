"""The adaptive modeler: a neural network proposes each parameter's exponents (docs/methods.md#adaptive,
Ritter et al. 2021).

This package contains the network with its shipped weights, its training on synthetic data, its adaptation to
a *task*, and the modeler that uses it. A task is what the kernels of a campaign have in common: points,
repetitions and noise. A *class* is an exponent pair (i, j) that the network distinguishes.
"""
