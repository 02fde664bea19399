"""Parsers of the short languages that users write: expectations of kernels, and policies of the gate.

They turn text into plain values, or raise an error that names the position. Nothing here knows stored models.
"""
