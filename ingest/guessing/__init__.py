"""Guesses what a file lacks: roles of parameters, units and directions of metrics, and the target.

Maintainers can correct every guess. Values in a file or from its sender take precedence.
"""
