"""Parses the fields that people and scripts send with a file, and refuses invalid values."""
