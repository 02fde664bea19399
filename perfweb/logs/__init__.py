"""Request ids in the log, and access logs without secrets."""
