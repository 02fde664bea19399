"""Figures as plain dicts, one chart a module; their numbers come ready from selectors."""
