"""Turns uploads into stored campaigns: reads, checks and stores files, and reads campaigns back.

The meaning of campaigns, such as models and comparisons, belongs to `modeling`, which this app does not know.
"""
