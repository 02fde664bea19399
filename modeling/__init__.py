"""Compute models, comparisons and forecasts from stored campaigns."""
