"""Read alerts: the inbox, one alert with the evidence for it, and counts.

Alerts are written in `modeling.services.alerts`.
"""
