"""Reads outputs of programs that print one name and one value in a line."""
