"""What `modeling` tells those above it, whom it does not know."""

from django.dispatch import Signal

alerts_opened = Signal()
"""Alerts have been raised, in a transaction. Arguments: `alerts`, all of one application, version and
machine. Whoever writes rows in answer shares the transaction: nothing is lost, and nothing comes twice."""

alerts_fixed = Signal()
"""Alerts have been seen to be fixed, likewise. Arguments: `alerts` of one application and machine."""
