"""Reads JSON piece by piece instead of loading it as a whole: depth and size are limited, and no key may
come twice.

Which keys a file must have is known to the formats in the folder above.
"""
