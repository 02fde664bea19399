"""What the log contains about a request: an id that all of its lines share, and no secret from its address.

The format of the log is in the settings; the audit log, which is a table, is in `perfweb.accounts`.
"""
