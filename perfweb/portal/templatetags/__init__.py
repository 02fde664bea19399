"""Filters and tags of the templates.

They only call functions of `perfweb.portal.text` and its neighbours.
"""
