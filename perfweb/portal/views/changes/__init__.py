"""The pages about alerts, which the pages call changes: the inbox, one change, silences.

The comparison of two given versions is in `application.compare`.
"""
