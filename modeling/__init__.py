"""Campaigns become models, comparisons, forecasts."""
