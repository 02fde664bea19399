"""Limit the time of work on many kernels, and confine failures to the kernels that cause them.

The package does not depend on the kind of work. `ingest.work` decides which worker takes which row.
"""
