"""Reads archives and compressed files member by member, within limits on their unpacked size."""
