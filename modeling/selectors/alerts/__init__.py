"""Alerts as people look through them: the inbox, one alert with what it rests on, counts.

What happens to them is in `modeling.services.alerts`.
"""
