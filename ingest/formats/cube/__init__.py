"""Reads the profiles of Score-P and Scalasca. `reading` makes a campaign of them.

Code for the profiles of several tools, such as finding the point of each run, is in `runs`.
"""
