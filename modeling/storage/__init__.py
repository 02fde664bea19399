"""Convert database rows to arrays and back: measured values, models, posteriors, segments.

Results are computed in `modeling.engine`, not here.
"""
