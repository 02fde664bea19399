"""What writes alerts: raising them, following comparisons, triage by people, silences.

Notices about them are sent elsewhere: see `modeling.signals`.
"""
