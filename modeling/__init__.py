"""Makes models, comparisons and forecasts of stored campaigns.

Files are read and campaigns are stored by `ingest`; pages and the REST interface are in `perfweb`.
"""
