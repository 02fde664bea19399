"""Reads the results of JMH: its JSON, and the table that it prints."""
