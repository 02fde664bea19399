"""Reads the tables of any tool: decides what each column means, parses the cells, and makes a campaign."""
