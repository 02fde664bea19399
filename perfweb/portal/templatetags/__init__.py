"""Filters and tags of the templates."""
