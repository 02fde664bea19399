"""Writes and sends notices: deliveries, mails, webhooks, subscriptions, keys of feeds."""
