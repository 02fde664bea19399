"""Reads the output of Google Benchmark: `reading` makes a campaign of it.

What the outputs of several benchmarking tools share is in `entries`, in the folder above.
"""
