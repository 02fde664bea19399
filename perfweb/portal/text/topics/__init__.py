"""The words of single topics, such as plans or the audit log, each in a module of its own.

Numbers, laws, verdicts and other words of many topics are in the package above.
"""
