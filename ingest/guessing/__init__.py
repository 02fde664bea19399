"""Sensible defaults for what a file does not say: roles, units, what is better, the target.

Maintainers can correct all of them; what a file or its sender says goes before, and is read in `formats` and
`fields`.
"""
