"""The app of Celery's clock (`celery -A perfweb.workers.clock beat`): it sends messages and has no tasks."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")

app = Celery("perfweb", fixups=[])  # of Django it needs the settings alone
app.config_from_object("django.conf:settings", namespace="CELERY")
