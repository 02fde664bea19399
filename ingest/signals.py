"""What `ingest` tells those above it, whom it does not know."""

from django.dispatch import Signal

campaign_stored = Signal()
"""A campaign has been committed. Arguments: `campaign`. It may be lost in a crash, so whoever relies on it
also looks for campaigns it missed."""

target_moved = Signal()
"""An application's automatic target has been made or changed, in a transaction. Arguments: `application`."""

campaigns_deleted = Signal()
"""Campaigns are being deleted, in a transaction. Arguments: `application`, and the ids of their
`machines` and `versions`."""
