"""The laws that a kernel may have: their terms, their prior, and their evidence in closed form.

The package `search` finds the likely ones among them. Their evidence under other kinds of noise is computed
in `noise`.
"""
