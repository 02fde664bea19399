"""How repetitions scatter around a law, and whether this scatter explains the distance of the points from the
law.

Points may deviate from every law by more than their repetitions scatter. The module `draws.deviations` models
such points.
"""
