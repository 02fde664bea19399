"""Reads a file in a confined child process, and receives its result.

The formats in the folder above do the reading, and do not know about processes.
"""
