"""Celery's app: `celery -A perfweb.celery worker` (see `manage.py up`, which starts one)."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_process_init

from perfweb.workers.worker_process import confine

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")

app = Celery("perfweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks()


@worker_process_init.connect
def _begin(**_: Any) -> None:
    confine()
