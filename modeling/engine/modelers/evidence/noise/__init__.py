"""How repetitions scatter around a law, and whether this scatter explains the distances of points from the
law.
"""
