"""One module per page: a view parses, calls one service or a few selectors, and answers.

Only views are here; what they show is put together in the rooms next to this one.
"""
