"""Reads a file in a confined child process, and receives its result."""
