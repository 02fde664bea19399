"""The views of the pages, one module per page: a view parses, calls one service or a few selectors, and
answers.

Only views are here; the content of pages is built in the packages next to this one.
"""
