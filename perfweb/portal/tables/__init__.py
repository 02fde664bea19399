"""Rows of long tables, which would take a template several times the time budget of a page.

A table has hundreds of cells. Each row is made by one call of `format_html`, which escapes; headings and the
surroundings of a table are in its template.
"""
