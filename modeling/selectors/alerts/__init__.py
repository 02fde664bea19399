"""Read alerts: the inbox, the evidence for one alert, and counts."""
