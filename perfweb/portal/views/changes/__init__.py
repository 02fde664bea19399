"""Pages about alerts, which people call changes: the inbox, one change, silences.

What changed between two given versions is in `application.compare`.
"""
