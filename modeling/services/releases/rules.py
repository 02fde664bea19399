"""A maintainer's settings for releases: the main branch, and the policy of the gate."""

from django.core.exceptions import ValidationError
from django.db import transaction

from ingest.models import Application
from modeling.models import ReleaseRules
from modeling.rules.policies import policy_parse
from modeling.rules.reading import RuleError
from modeling.services.changes.comparisons import comparisons_follow
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User


@transaction.atomic
def release_rules_set(*, application: Application, main_branch: str, gate_policy: str, user: User) -> None:
    """Set the main branch and the policy, and request comparisons with changed baselines.

    Raises:
        ValidationError: the policy cannot be parsed.
    """
    # Storing a campaign takes the same lock, so baselines do not change while a campaign gets its place.
    Application.objects.select_for_update().get(pk=application.pk)
    branch, policy = main_branch.strip(), " ".join(gate_policy.split())
    try:
        if policy:
            policy_parse(policy)
    except RuleError as wrong:
        raise ValidationError({"gate_policy": str(wrong)}) from wrong
    rules, _ = ReleaseRules.objects.get_or_create(application=application)
    if (rules.main_branch, rules.gate_policy) == (branch, policy):
        return
    moved = rules.main_branch != branch
    rules.main_branch, rules.gate_policy = branch, policy
    rules.save()
    audit_record(
        project=application.project, action="application.releases", user=user, subject=application.slug,
        main_branch=branch, gate_policy=policy,
    )  # fmt: skip
    if moved:
        comparisons_follow(application)
