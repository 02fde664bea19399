"""Reads the results of JMH: its JSON, its CSV, and the table that it prints."""
