"""Charts that the reader can explore: figures as plain dicts, one chart per module.

Their numbers come from selectors; small pictures without a script are in `svg`, words are in `text`.
"""
