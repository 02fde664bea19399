"""Write alerts: raise them, update them after comparisons, and record people's decisions and silences.

The package `perfweb.notices` sends notices about alerts.
"""
