"""The laws that a kernel may have: their terms, their prior, and their evidence in closed form.

The package `search` finds the likely ones among them. Kinds of noise other than the normal one are in
`noise`.
"""
