"""What the compare page is put together from: its sentence, its list of kernels, and why a verdict was given.

What is read from the address alone is in `asked`; pictures are in `charts`.
"""
