"""Reads Caliper's profiles. `reading` makes a campaign of them.

Code for the profiles of several tools, such as the choice of parameters, is in `runs`.
"""
