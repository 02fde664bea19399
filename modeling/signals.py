"""Signals by which `modeling` notifies the apps above it, without depending on them."""

from django.dispatch import Signal

alerts_opened = Signal()
"""Sent inside the transaction in which alerts are raised. Arguments: `alerts`, all of one application,
version and machine. Rows that receivers write belong to the same transaction, so every alert is handled
exactly once.
"""

alerts_fixed = Signal()
"""Sent inside the transaction when alerts have been marked as fixed. Arguments: `alerts` of one application
and machine.
"""
