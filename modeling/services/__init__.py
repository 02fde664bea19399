"""Functions that write models, predictions, comparisons and forecasts, and everything that follows from
them.
"""
