"""Parses the fields that people and scripts send with a file: names, options, metadata, descriptions of
parameters.

Each module parses one kind of field and refuses invalid ones; the file's own content is parsed in `formats`.
"""
