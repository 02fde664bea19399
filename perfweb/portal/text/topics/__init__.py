"""The words of single topics, such as plans or the audit log, each in a module of its own.

Words and notations that pages of many topics share, such as numbers, laws and verdicts, are in the package
above.
"""
