"""The adaptive modeler: a neural network proposes each parameter's exponents (docs/methods.md#adaptive,
Ritter et al. 2021).

This package has the network's inputs, the network with its shipped weights, its training on synthetic data,
its adaptation to a task, and the modeler that uses it.
"""
