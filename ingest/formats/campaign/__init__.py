"""Says what a campaign is: its series, and the rules for names, points, units, origins of runs and notes."""
