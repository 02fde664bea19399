"""Rules of an application's releases: the main branch, and the policy of the gate."""

from typing import ClassVar

from django.db import models

from ingest.models import Application


class ReleaseRules(models.Model):
    """A maintainer's rules for releases. An application without a row has the portal's default rules."""

    application = models.OneToOneField(Application, models.CASCADE, related_name="release_rules")
    # The branch with which the first version of every other branch is compared.
    main_branch = models.CharField(max_length=120, blank=True)
    # A policy in the language of `modeling.rules.policies`; empty: the default policy.
    gate_policy = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering: ClassVar = ["application"]

    def __str__(self) -> str:
        return f"releases of {self.application}"
