"""Signals by which `modeling` notifies the apps above it, without depending on them."""

from django.dispatch import Signal

alerts_opened = Signal()
"""Sent inside the transaction that raises `alerts` of one application, version and machine."""

alerts_fixed = Signal()
"""Sent inside the transaction that marks `alerts` of one application and machine as fixed."""
