"""Signals by which `modeling` notifies the apps above it, which it does not know."""

from django.dispatch import Signal

alerts_opened = Signal()
"""Alerts have been raised; sent inside the transaction. Arguments: `alerts`, all of one application,
version and machine. Receivers that write rows share the transaction: nothing is lost, and nothing comes
twice.
"""

alerts_fixed = Signal()
"""Alerts have been marked as fixed; sent inside the transaction. Arguments: `alerts` of one application
and machine.
"""
