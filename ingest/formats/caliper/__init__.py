"""Reads Caliper's profiles: `reading` makes a campaign of them.

What profiles of several tools share, such as the choice of parameters, is in `runs`.
"""
