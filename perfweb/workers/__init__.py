"""Celery's processes: the order of their queues, their limits, and the clock that sends periodic messages.

The tasks are in the apps; what a crash of a worker leaves is found by `ingest.work`.
"""
