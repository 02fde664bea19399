"""Reads comma- or tab-separated values, and tables with blanks between their columns."""
