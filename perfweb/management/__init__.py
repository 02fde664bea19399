"""The commands of `manage.py`, and what they share.

A command reads its arguments and calls the services of the apps below; no app knows that there are commands.
"""
