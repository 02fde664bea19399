"""Read data on whole applications and projects: overview, start page, news, search.

These modules combine results of the other packages.
"""
