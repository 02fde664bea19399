"""Middleware before and after all views, and static files: limits, whole bodies, caching."""
