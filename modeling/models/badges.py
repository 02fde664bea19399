"""Public badges that show whether an application's latest version passes its gate."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from ingest.models import Application
from perfweb.accounts.querysets import ApplicationRows


class Badge(models.Model):
    """A badge with an address that cannot be guessed. An application without a row has no badge."""

    application = models.OneToOneField(Application, models.CASCADE, related_name="badge")
    # 256 random bits, which are a part of the address.
    secret = models.CharField(max_length=43, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"badge of {self.application}"
