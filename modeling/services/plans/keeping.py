"""Keep a proposed plan, or delete a kept one."""

from collections.abc import Mapping

import numpy as np
from django.db import transaction

from ingest.models import Application
from ingest.services import application_ensure
from modeling.models import Plan
from modeling.selectors.plans.planned import Proposal
from modeling.selectors.plans.progress import runs_at
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, User


def plan_row(
    proposal: Proposal,
    *,
    application: Application,
    version_label: str,
    machine_name: str = "",
    metric_name: str = "",
    target: Mapping[str, float] | None = None,
    query: str = "",
) -> Plan:
    """Return a proposed plan as an unsaved row, with the number of repetitions that its points have now.

    Raises:
        ValueError: the proposal has no plan.
    """
    plan, guessed = proposal.plan, proposal.guessed
    if plan is None:
        raise ValueError("There is no plan.")
    expected = plan.expected
    row = Plan(
        application=application,
        version_label=version_label,
        machine_name=machine_name,
        metric_name=metric_name,
        goal=proposal.question.goal,
        target=dict(target or {}),
        question=query[:4000],
        parameters=list(plan.parameters),
        points=plan.points.tolist(),
        repetitions=plan.repetitions.tolist(),
        costs=[None if np.isnan(cost) else cost for cost in plan.costs.tolist()],
        costs_lower=guessed.lower.tolist() if guessed else [],
        costs_upper=guessed.upper.tolist() if guessed else [],
        costs_total=list(guessed.total) if guessed else [],
        buys=list(plan.buys),
        reasons=list(plan.reasons),
        separate_jobs=plan.separate_jobs,
        width_before=None if expected is None else expected.width_before,
        width_after=None if expected is None else expected.width_after,
    )
    row.measured = runs_at(row, row.points) if application.pk else [0] * len(row.points)
    return row


@transaction.atomic
def plan_keep(*, row: Plan, user: User, token: ApiToken | None = None) -> Plan:
    """Store a plan, and its application if that is new."""
    application = row.application
    if application.pk is None:
        application = application_ensure(application.project, application.slug, application.name)
    row.application, row.user = application, user
    row.save()
    audit_record(
        project=application.project, action="plan.keep", subject=f"{application.slug}: plan {row.pk}",
        user=user, token=token,
    )  # fmt: skip
    return row


@transaction.atomic
def plan_drop(*, plan: Plan, user: User) -> None:
    """Delete a plan, but not the measurements made for it."""
    subject = f"{plan.application.slug}: plan {plan.pk}"
    audit_record(project=plan.application.project, action="plan.drop", subject=subject, user=user)
    plan.delete()
