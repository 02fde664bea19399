"""Reads tables of any tool. It decides what each column is, parses the cells, and makes a campaign of the
rows.

The formats that contain tables are in the folder above. Nothing here depends on them.
"""
