"""Finds the point of each run in an archive or a folder, from the runs' names and from metadata.

The measured values of a run are read by the formats in the folder above.
"""
