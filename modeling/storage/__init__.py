"""Rows turned into arrays and back: measured values, models, posteriors, segments.

Nothing is computed here; that is for `modeling.engine`.
"""
