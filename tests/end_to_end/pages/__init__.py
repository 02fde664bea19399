"""Tests of single pages in a real browser. Flows over several pages, from an upload to its report, are one
folder up.
"""
