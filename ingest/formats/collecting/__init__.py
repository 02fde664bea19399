"""Collects values from a parser into the arrays of a campaign, and merges several campaigns into one."""
