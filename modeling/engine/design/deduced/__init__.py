"""Designs and models deduced from a profile: the parameters that each function is known to depend on.

The method is that of Performance-Detective (Schmid et al., ICS 2022). A *design* is a set of points to
measure. Two parameters *meet* in a function that depends on both. For sums of terms (`additive`), parameters
meet only in the same loop. The *smallest design* has all combinations of parameters that meet. The *full
design* has all combinations of all parameters.
"""
