"""Signals by which `modeling` notifies the apps above it, without depending on them."""

from django.dispatch import Signal

alerts_opened = Signal()
"""Sent inside the transaction when alerts have been raised. Arguments: `alerts`, all of one application,
version and machine. Rows that receivers write belong to the same transaction, so no alert is lost or handled
twice.
"""

alerts_fixed = Signal()
"""Sent inside the transaction when alerts have been marked as fixed. Arguments: `alerts` of one application
and machine.
"""
