"""What every request and every static file passes before and after views: limits, whole bodies, caching.

Addresses and views are in `perfweb.portal` and `perfweb.api`.
"""
