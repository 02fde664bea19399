"""Writes predictions: at the default target, in total, over versions, and scored by later measurements.

The models that predict are made in `models`.
"""
