"""Rows of the long tables: what a template would take several times a page's budget for.

A table has hundreds of cells. Each row is put together by one call of `format_html`, which escapes; headings
and everything around a table are in its template.
"""
