"""How the likely laws of a kernel are found, for few parameters and for many.

The laws are compared by their evidence in closed form (`hypotheses.gaussian`); under the kinds of noise that
repetitions show they are weighed later, in `draws`.
"""
