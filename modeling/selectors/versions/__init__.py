"""Read several versions in order: their history, totals, and the changes from one version to the next.

A single version is in `run`.
"""
