"""The release gate: the verdict of a policy on a version, from what is stored about it, with reasons.

Comparisons and expectations are made elsewhere; nothing is modelled or compared here.
"""
