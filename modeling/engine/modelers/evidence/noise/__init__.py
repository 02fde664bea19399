"""How repetitions scatter around a law, and whether that explains how far the points lie from it.

Points that deviate from every law by more than their repetitions scatter are modelled in `draws.deviations`.
"""
