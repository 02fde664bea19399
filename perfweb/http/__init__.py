"""Middleware that processes every request before and after views, and static files: limits, whole bodies,
caching.

Addresses and views are in `perfweb.portal` and `perfweb.api`.
"""
