"""The parts of the compare page: its sentence, its list of kernels, and the explanation of a verdict.

Parsing of the address is in `asked`; pictures are in `charts`.
"""
