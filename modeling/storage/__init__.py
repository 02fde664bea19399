"""Converts database rows to arrays and back: measured values, models, posteriors, segments.

Nothing is computed here; computation belongs to `modeling.engine`.
"""
