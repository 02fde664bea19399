"""The app of Celery's clock (`celery -A perfweb.workers.clock beat`): it sends messages and has no tasks."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")

app = Celery("perfweb", fixups=[])  # it needs only Django's settings
app.config_from_object("django.conf:settings", namespace="CELERY")
