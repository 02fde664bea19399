"""Signals by which `modeling` notifies the apps above it, without depending on them."""

from django.dispatch import Signal

alerts_opened = Signal()
"""Sent inside the transaction that raises alerts, so receivers handle every alert exactly once. The `alerts`
belong to one application, version and machine.
"""

alerts_fixed = Signal()
"""Sent inside the transaction that marks alerts as fixed. The `alerts` belong to one application and machine,
without improvements.
"""
