"""Rows of long tables, which would take a template several times the time budget of a page.

Each row is made by one call of `format_html`, which escapes; headings are in the table's template.
"""
