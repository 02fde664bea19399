"""Signals by which `ingest` notifies the apps above it without depending on them."""

from django.dispatch import Signal

campaign_stored = Signal()
"""A campaign has been committed. Arguments: `campaign`. A signal may be lost in a crash, so receivers also
search for campaigns that they have missed.
"""

target_moved = Signal()
"""An application's automatic target has been made or changed. The signal is sent inside the transaction.
Arguments: `application`.
"""

campaigns_deleted = Signal()
"""Campaigns are being deleted. The signal is sent inside the transaction. Arguments: `application`, and the
ids of their `machines` and `versions`.
"""

dependencies_changed = Signal()
"""The dependencies of an application's functions have been stored or removed. The signal is sent inside the
transaction. Arguments: `application`.
"""
