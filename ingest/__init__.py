"""Uploads become stored campaigns: files are read, checked and stored, and campaigns read back.

What campaigns mean, models and comparisons, is made in `modeling`, of which nothing is known here.
"""
