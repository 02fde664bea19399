"""Reads archives and compressed files member by member, within limits on their unpacked size.

The content of the members is read by the formats in the folder above.
"""
