"""Write alerts: raise them, update them after comparisons, and record people's triage and silences.

Notices about alerts are sent elsewhere: see `modeling.signals`.
"""
