"""The modelers of an application's campaigns."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from ingest.models import Application


class ModelerChoice(models.Model):
    """The modelers of new campaigns. An application without a row uses only the engine's default."""

    application = models.OneToOneField(Application, models.CASCADE, related_name="modeler_choice")
    shown = models.CharField(max_length=20, help_text="the modeler whose models pages show")
    compared = ArrayField(
        models.CharField(max_length=20), default=list, help_text="further modelers, to be compared with it"
    )

    class Meta:
        ordering: ClassVar = ["application"]

    def __str__(self) -> str:
        return f"modelers of {self.application}: {', '.join([self.shown, *self.compared])}"
