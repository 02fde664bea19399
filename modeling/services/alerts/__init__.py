"""Writes alerts: raises them, lets them follow comparisons, records people's triage and silences.

Notices about alerts are sent elsewhere: see `modeling.signals`.
"""
