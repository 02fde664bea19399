"""Parsers of the short languages that users write: expectations of kernels, and policies of the gate."""
