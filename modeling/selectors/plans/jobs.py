"""The content of a plan's job script: all runs whose measurements have not arrived."""

from collections.abc import Iterable

from ingest.models import Parameter
from modeling.models import Plan
from modeling.scripts import Job
from modeling.scripts.jobs import runs_of
from modeling.selectors.plans.guessed import parameters_named
from modeling.selectors.plans.progress import Progress


def job_of(progress: Progress, parameters: Iterable[Parameter], portal: str) -> Job:
    """Return the missing runs of a plan as a job, for the portal at this address."""
    plan = progress.plan
    known = [row for row in parameters if row.name in plan.parameters]
    guessed = known or parameters_named(plan.application, plan.parameters, {})
    counted = {row.name for row in guessed if row.role == Parameter.Role.PROCESSES}
    missing = [task for task in progress.tasks if task.missing]
    runs = runs_of(
        [task.point for task in missing],
        [task.missing for task in missing],
        [task.arrived for task in missing],
    )
    return Job(
        title=f"{_named(plan)} for {plan.application.slug} {plan.version_label}: {_counted(len(runs))}",
        application=plan.application.slug,
        version=plan.version_label,
        campaign=plan.campaign_key,
        portal=portal,
        parameters=tuple(plan.parameters),
        runs=runs,
        processes=next((name for name in plan.parameters if name in counted), None),
        machine=plan.machine_name,
    )


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"


def _named(plan: Plan) -> str:
    return f"Plan {plan.pk}" if plan.pk else "A plan"
