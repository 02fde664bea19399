"""How an application's versions follow each other, and when one may be released."""

from typing import ClassVar

from django.db import models

from ingest.models import Application


class ReleaseRules(models.Model):
    """What a maintainer says about releases; an application without a row has the portal's own rules."""

    application = models.OneToOneField(Application, models.CASCADE, related_name="release_rules")
    main_branch = models.CharField(
        max_length=120, blank=True, help_text="what first versions of other branches are compared with"
    )
    gate_policy = models.CharField(
        max_length=1000, blank=True, help_text="of modeling.rules.policies; empty: the default policy"
    )

    class Meta:
        ordering: ClassVar = ["application"]

    def __str__(self) -> str:
        return f"releases of {self.application}"
