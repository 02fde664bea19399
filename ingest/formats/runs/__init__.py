"""Where the runs of an archive or a folder belong: by their names, and by what is known of each of them.

The values that were measured in a run are read by the formats in the folder above.
"""
