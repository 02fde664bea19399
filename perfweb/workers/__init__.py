"""Celery's processes: the order of their queues, their limits, and the clock that sends periodic messages.

The tasks are in the apps; `ingest.work` finds the work that a crashed worker left.
"""
