"""Time limits for work on many kernels, and failures that affect only the kernels that cause them.

This package is independent of the kind of work. `ingest.work` decides which worker takes which row.
"""
