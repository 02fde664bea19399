"""Versions in line: their history, totals, and what changed from one to the next.

One version alone is in `run`.
"""
