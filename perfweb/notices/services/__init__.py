"""Writes and sends notices: deliveries, mails, webhooks, subscriptions, keys of feeds.

Which alerts exist is decided in `modeling.services.alerts`.
"""
