"""Parses requests: the reader, and the application, campaign, version and target in the address.

These modules refuse what the reader may not see; the content of pages is built in other packages.
"""
