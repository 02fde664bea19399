"""Compute models, comparisons and forecasts from stored campaigns.

The package `ingest` reads files and stores campaigns. Pages and the REST interface are in `perfweb`.
"""
