"""The modelers of an application's campaigns."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from ingest.models import Application


class ModelerChoice(models.Model):
    """The modelers of new campaigns. An application without a row uses only the engine's default."""

    application = models.OneToOneField(Application, models.CASCADE, related_name="modeler_choice")
    # The modeler whose models pages show.
    shown = models.CharField(max_length=20)
    # Further modelers that are compared with the shown one.
    compared = ArrayField(models.CharField(max_length=20), default=list)

    class Meta:
        ordering: ClassVar = ["application"]

    def __str__(self) -> str:
        return f"modelers of {self.application}: {', '.join([self.shown, *self.compared])}"
