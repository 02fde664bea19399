"""Convert database rows to arrays and back: measured values, models, posteriors, segments."""
