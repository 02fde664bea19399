"""Turns uploads into stored campaigns: reads, checks and stores files, and reads campaigns back.

Models and comparisons of campaigns belong to the app `modeling`, on which this app does not depend.
"""
