"""Finds the point of each run in an archive or a folder, from the runs' names and their metadata."""
