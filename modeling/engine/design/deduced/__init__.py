"""Designs and models deduced from a profile: the parameters that each function is known to depend on. The
method is that of Performance-Detective (Schmid et al., ICS 2022).
"""
