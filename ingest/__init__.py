"""Uploads become stored campaigns."""
