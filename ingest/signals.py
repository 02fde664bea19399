"""Signals by which `ingest` notifies the apps above it without depending on them."""

from django.dispatch import Signal

campaign_stored = Signal()
"""A `campaign` has been committed. Receivers also search for campaigns whose signals were lost."""

target_moved = Signal()
"""The automatic target of an `application` has changed. Sent inside the transaction."""

campaigns_deleted = Signal()
"""Campaigns of these `machines` and `versions` are being deleted in this transaction."""

dependencies_changed = Signal()
"""The dependencies of an `application`'s functions have changed. Sent inside the transaction."""
