"""Reads what was sent, before its format matters: a file, its text or JSON, or the files of an archive."""
