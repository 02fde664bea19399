"""Listens to uploads."""
