"""Raise alerts, update them after comparisons, and record people's decisions and silences."""
