"""Reads the output of Google Benchmark; `reading` makes a campaign of it."""
