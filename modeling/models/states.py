"""The states of work that workers do."""

from django.db import models


class State(models.TextChoices):
    """The state of work that a worker does."""

    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"


UNFINISHED = [State.QUEUED, State.RUNNING]
