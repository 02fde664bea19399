"""Reads archives and compressed files member by member, within limits on what they unpack to.

The content of the members is read by the formats in the folder above.
"""
