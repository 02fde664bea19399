"""Keep a proposed plan, or delete a kept one."""

from collections.abc import Mapping

import numpy as np
from django.db import transaction

from ingest.models import Application
from ingest.services import application_ensure
from modeling import engine
from modeling.models import Plan
from modeling.selectors.plans.costs import CostRange
from modeling.selectors.plans.progress import runs_at
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, User


@transaction.atomic
def plan_keep(
    *,
    application: Application,
    plan: engine.Plan,
    goal: str,
    version_label: str,
    machine_name: str,
    metric_name: str,
    target: Mapping[str, float],
    question: str,
    user: User,
    token: ApiToken | None = None,
    guessed: CostRange | None = None,
) -> Plan:
    """Store a plan, perhaps with its new application, and the present number of repetitions."""
    if application.pk is None:
        application = application_ensure(application.project, application.slug, application.name)
    row = plan_of(
        plan, application=application, goal=goal, version_label=version_label, machine_name=machine_name,
        metric_name=metric_name, target=target, question=question,
    )  # fmt: skip
    row.user = user
    if guessed is not None:
        row.costs_lower, row.costs_upper = guessed.lower.tolist(), guessed.upper.tolist()
        row.costs_total = list(guessed.total)
    row.save()
    audit_record(
        project=application.project, action="plan.keep", subject=f"{application.slug}: plan {row.pk}",
        user=user, token=token,
    )  # fmt: skip
    return row


def plan_of(
    plan: engine.Plan,
    *,
    application: Application,
    goal: str,
    version_label: str,
    machine_name: str,
    metric_name: str,
    target: Mapping[str, float],
    question: str = "",
) -> Plan:
    """Return a plan as an unsaved row, with the number of repetitions that its points have now."""
    expected = plan.expected
    row = Plan(
        application=application,
        version_label=version_label,
        machine_name=machine_name,
        metric_name=metric_name,
        goal=goal,
        target=dict(target),
        question=question[:4000],
        parameters=list(plan.parameters),
        points=plan.points.tolist(),
        repetitions=plan.repetitions.tolist(),
        costs=[None if np.isnan(cost) else cost for cost in plan.costs.tolist()],
        buys=list(plan.buys),
        reasons=list(plan.reasons),
        separate_jobs=plan.separate_jobs,
        width_before=None if expected is None else expected.width_before,
        width_after=None if expected is None else expected.width_after,
    )
    row.measured = runs_at(row, row.points) if application.pk else [0] * len(row.points)
    return row


@transaction.atomic
def plan_drop(*, plan: Plan, user: User) -> None:
    """Delete a plan, but not the measurements made for it."""
    subject = f"{plan.application.slug}: plan {plan.pk}"
    audit_record(project=plan.application.project, action="plan.drop", subject=subject, user=user)
    plan.delete()
