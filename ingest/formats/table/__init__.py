"""Reads the tables of any tool: decides what each column means, parses the cells, and makes a campaign of the
rows.

The formats that contain tables are in the folder above. Nothing here depends on them.
"""
