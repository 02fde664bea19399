"""Reads the output of Google Benchmark. `reading` makes a campaign of it.

Code for the outputs of several benchmarking tools is in `entries`, in the folder above.
"""
