"""Request ids in the log, and access logs without secrets.

The format of the log is in the settings. The audit log is a table, and is in `perfweb.accounts`.
"""
