"""The commands of `manage.py`, and their common base class.

A command reads its arguments and calls the services of the apps below; no app imports a command.
"""
