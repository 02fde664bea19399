"""Checks whether the portal can do its work: probes for monitoring, stuck work, temporary outages.

Nothing here repairs anything: the launcher restarts programs, and `ingest.work` sends lost work again.
"""
