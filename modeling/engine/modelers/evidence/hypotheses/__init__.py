"""Which laws a kernel may have: their terms, their prior, and their evidence in closed form.

The likely ones among them are found in `search`; kinds of noise other than the normal one are in `noise`.
"""
