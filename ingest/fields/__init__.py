"""What people and scripts send with a file: names, options, metadata, descriptions of parameters and metrics.

Each module parses and refuses one kind of field; what a file itself says is read in `formats`.
"""
