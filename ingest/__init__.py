"""Turns uploads into stored campaigns: reads, checks and stores files, and reads campaigns back."""
