"""Whether a version may be released: the verdict of a policy on what is stored about it, with its reasons.

What is compared, and what is expected, is found elsewhere; nothing is modelled or compared here.
"""
