"""The pages: views answer requests, and the packages next to them build the content that views show.

Nothing is computed or written here; numbers come from selectors, and services write the changes that readers
make.
"""
