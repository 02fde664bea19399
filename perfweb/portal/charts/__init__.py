"""Charts that the reader can explore: figures as plain dicts, one chart a module.

Their numbers come ready from selectors; small pictures without a script are in `svg`, words are in `text`.
"""
