"""The representation of laws: terms, their growth, and formulas for people, LaTeX and Python.

This package does not use measured data, which are in `measured`.
"""
