"""Campaigns that come in several uploads: what they hold together."""

from ingest.formats.merging import merge, merge_all

__all__ = ["merge", "merge_all"]
