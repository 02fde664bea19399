"""Parses the fields that people and scripts send with a file: names, options, metadata, descriptions of
parameters.

Each module parses one kind of field and refuses invalid values. The content of files is parsed in `formats`.
"""
