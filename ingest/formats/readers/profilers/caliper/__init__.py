"""Reads Caliper's profiles; `reading` makes a campaign of them."""
