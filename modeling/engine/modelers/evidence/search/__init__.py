"""The search for the likely laws of a kernel, with few parameters and with many.

The search compares laws by their evidence in closed form (`hypotheses.gaussian`). Later, `draws` weighs the
laws found under the kinds of noise that the repetitions show.
"""
