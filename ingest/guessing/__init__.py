"""Guesses what a file does not say: roles of parameters, units, which values are better, the target.

Maintainers can correct every guess. Values from a file or its sender take precedence; they are parsed in
`formats` and `fields`.
"""
