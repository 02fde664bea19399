"""Reads JSON piece by piece, with limited depth and size, and with unique keys."""
