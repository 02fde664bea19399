"""Reads the profiles of Score-P and Scalasca: `reading` makes a campaign of them.

What profiles of several tools share, such as the point of each run, is in `runs`.
"""
