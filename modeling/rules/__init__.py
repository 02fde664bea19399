"""Parsers of the short languages that users write: expectations of kernels, and policies of the gate.

A parser returns plain values, or raises an error that names the position.
"""
