"""The pages: views answer requests, and the rooms next to them put together what they show.

Nothing is computed or written here; numbers come from selectors, and what a reader changes goes to services.
"""
