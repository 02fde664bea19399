"""Reads several versions in order: their history, totals, and the changes from one to the next.

A single version is in `run`.
"""
