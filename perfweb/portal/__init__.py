"""The pages: views answer requests, and the packages next to them build what views show.

Numbers come from selectors, and services write changes.
"""
