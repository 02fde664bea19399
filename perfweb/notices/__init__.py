"""Notifies people and programs of changes: e-mail, webhooks, and the keys of feeds.

It depends on alerts, but not on pages; the pages of notifications are in `perfweb.portal`.
"""
