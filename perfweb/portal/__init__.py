"""The pages: views answer requests, and the rooms next to them build what views show.

Nothing is computed or written here; numbers come from selectors, and services write the changes that readers
make.
"""
