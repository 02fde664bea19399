"""Celery's app of the clock, which sends messages and knows no task: `celery -A perfweb.clock beat`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")

app = Celery("perfweb", fixups=[])  # of Django it needs the settings alone
app.config_from_object("django.conf:settings", namespace="CELERY")
