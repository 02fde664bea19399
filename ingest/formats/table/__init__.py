"""Reads tables of any tool: decides what each column is, parses cells, and makes a campaign of the rows.

The formats that contain tables are in the folder above; nothing here depends on any of them.
"""
