"""How repetitions scatter around a law, and whether this scatter explains the distances of the points from
the law.

If it does not, the points deviate from every law. The module `draws.deviations` models such points.
"""
