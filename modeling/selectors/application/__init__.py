"""Read data on a whole application or project: overview, home, news, search.

These modules combine results of the other packages.
"""
