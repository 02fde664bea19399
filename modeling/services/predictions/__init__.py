"""Write predictions: at the default target, for the whole program, over versions, and scored by later
measurements.

The models from which predictions are computed are made in `models`.
"""
