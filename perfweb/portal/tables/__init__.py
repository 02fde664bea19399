"""Rows of long tables, made in Python: a template would take several times as long as a page may.

Each row is made by one call of `format_html`, which escapes; headings are in the table's template.
"""
