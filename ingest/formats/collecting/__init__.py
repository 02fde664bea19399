"""Collects values from a parser into the arrays of a campaign, and merges several campaigns into one.

These modules refuse whatever exceeds the limits while it is collected. What a value means is known only to
the formats, not here.
"""
