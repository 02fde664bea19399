"""Notifies people and programs of changes: e-mail, webhooks, and the keys of feeds.

It knows alerts but no pages; the pages of notifications are in `perfweb.portal`.
"""
