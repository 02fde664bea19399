"""Reads a file in a confined child process, and receives its result.

What the child reads is decided by the formats in the folder above, which know nothing of processes.
"""
