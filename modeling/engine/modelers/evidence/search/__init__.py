"""The search for the likely laws of a kernel, with few parameters and with many.

The search compares laws by their evidence in closed form (`hypotheses.gaussian`). The package `draws` then
estimates the evidence of the laws found, under each kind of noise that explains the repetitions.
"""
