"""The commands of `manage.py`, one module for each.

They only read arguments and print. What they do is in the packages that they call.
"""
