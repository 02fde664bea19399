"""Reads JSON piece by piece instead of loading it as a whole. Depth and size are limited, and keys must be
unique.

Only the formats in the folder above know which keys a file must have.
"""
