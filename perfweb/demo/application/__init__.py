"""A mini-application: the kernels of a short-range particle code, on `p` ranks in one process.

Every rank owns a slab of `n` particles with the field on it, and copies its boundaries to the buffers of its
two neighbours. Each kernel's law in `p` and `n` is known. Versions differ in how kernels are implemented.
"""
