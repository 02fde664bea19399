"""Reads files that contain no measurements: the parameters on which the functions of a program depend."""
