"""Kernels that were renamed or moved."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Application, Kernel
from perfweb.accounts.models import User


class KernelAlias(models.Model):
    """A kernel that a maintainer joined with its new path. Measurements stay the same."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="kernel_aliases")
    kernel = models.OneToOneField(Kernel, models.CASCADE, related_name="alias")
    becomes = models.ForeignKey(Kernel, models.CASCADE, related_name="former")
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    confirmed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(kernel=models.F("becomes")), name="alias_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.kernel} → {self.becomes}"
