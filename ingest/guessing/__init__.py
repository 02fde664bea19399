"""Guesses what a file does not contain: roles of parameters, units, which values of a metric are better, and
the target.

Maintainers can correct every guess. Values in a file or from its sender take precedence. They are parsed in
`formats` and `fields`.
"""
