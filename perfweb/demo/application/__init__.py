"""A mini-application: the kernels of a short-range particle code, on ranks that take turns in one process.

Every rank owns a slab of `n` particles with the field on it, and exchanges its boundaries with the ranks on
either side by copying between buffers. It simulates no particular physics. Its purpose is that each kernel's
law in `p` and `n` is known, and that its versions differ as versions of real codes do.
"""
