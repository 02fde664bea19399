"""Designs and models deduced from a profile: the parameters that each function is known to depend on. The
method is that of Performance-Detective (Schmid et al., ICS 2022).

A *design* is a set of points to measure. Two parameters *meet* in a function that depends on both; where laws
are restricted to sums (`additive`), only if they occur in the same loop of it. The *smallest design* has all
combinations of the parameters that meet, the *full design* all combinations of all parameters.
"""
