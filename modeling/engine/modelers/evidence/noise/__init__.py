"""How repetitions scatter around a law, and whether this scatter explains the distances from the law.

If it does not, points deviate from every law. The module `draws.deviations` models such points.
"""
