"""Parsers of the short languages that users write: expectations of kernels, and policies of the gate.

The parsers turn text into plain values, or raise an error that names the position. They do not use stored
models.
"""
