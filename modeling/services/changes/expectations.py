"""Compare users' expectations of kernels with the models of runs."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ingest.bulk.write import copy_rows
from ingest.formats.campaign.units import seconds_in as unit_seconds
from ingest.models import Application, Campaign, Metric
from ingest.work import enqueue
from modeling.engine import Models, below_probability, growth_probability
from modeling.models import (
    BROKEN,
    OPEN_ALERTS,
    Alert,
    Expectation,
    ExpectationResult,
    ModelRun,
    State,
)
from modeling.rules.expectations import Bound, Expected, expectation_parse
from modeling.rules.patterns import matches, pattern_check
from modeling.selectors.run.expected import results_broken, runs_behind
from modeling.selectors.run.metrics import is_time, seconds_in
from modeling.selectors.run.targets import target_point
from modeling.services.alerts.raising import Finding, alerts_close, alerts_lock, alerts_raise
from modeling.storage import arrays
from modeling.storage.model_portions import model_portions
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

LOG = logging.getLogger(__name__)

MOST_EXPECTATIONS = 50
"""Limit on the expectations of an application. Each takes 0.1 ms per matching kernel and run."""


@transaction.atomic
def expectation_add(
    *, application: Application, metric: Metric, pattern: str, text: str, user: User
) -> Expectation:
    """Add an expectation, and enqueue its comparison with all runs of the application.

    Raises:
        ValidationError: pattern or text cannot be parsed, the expectation exists, or there are too many.
    """
    _lock(application)
    plain, expected = _pattern_read(pattern), " ".join(text.split())
    _text_check(application, metric, expected)
    known = Expectation.objects.filter(application=application)
    if known.filter(metric=metric, pattern=plain, text=expected).exists():
        raise ValidationError({"text": "The same is expected already."})
    if known.count() >= MOST_EXPECTATIONS:
        raise ValidationError({"text": f"An application has at most {MOST_EXPECTATIONS} expectations."})
    made = Expectation.objects.create(
        application=application, metric=metric, pattern=plain, text=expected, user=user,
        created_at=timezone.now(),
    )  # fmt: skip
    audit_record(
        project=application.project, action="expectation.add", user=user, metric=metric.name,
        subject=f"{application.slug}: {made}",
    )  # fmt: skip
    enqueue("modeling.tasks.application_expect", application)
    return made


@transaction.atomic
def expectation_remove(*, expectation: Expectation, user: User) -> None:
    """Remove an expectation with its results, and close alerts that depend only on it."""
    application = expectation.application
    _lock(application)
    _alerts_without(expectation, user)
    audit_record(
        project=application.project, action="expectation.remove", user=user,
        subject=f"{application.slug}: {expectation}",
    )  # fmt: skip
    judged = ModelRun.objects.filter(campaign__version__application=application, expected_at__isnull=False)
    # pages show cached results until this time changes
    judged.exclude(pk__in=runs_behind()).update(expected_at=timezone.now())
    expectation.delete()


def _alerts_without(expectation: Expectation, user: User) -> None:
    """Close the open alerts about this expectation, unless the kernel breaks another one."""
    alerts_lock(expectation.application_id)
    rows = Alert.objects.filter(
        application=expectation.application_id, cause=Alert.Cause.EXPECTATION, metric=expectation.metric_id,
        state__in=OPEN_ALERTS,
    )  # fmt: skip
    broken = ExpectationResult.objects.filter(expectation__metric=expectation.metric_id)
    broken = broken.filter(probability__lt=BROKEN, kernel__in=rows.values("kernel")).order_by("-probability")
    place = ("run__campaign__version_id", "run__campaign__machine_id", "kernel_id")
    own = set(broken.filter(expectation=expectation).values_list(*place))
    others = {
        tuple(key): text
        for *key, text in broken.exclude(expectation=expectation).values_list(*place, "expectation__text")
    }
    unfounded = []
    for alert in rows:
        key = (alert.version_id, alert.machine_id, alert.kernel_id)
        if key in others and alert.reason == expectation.text:
            Alert.objects.filter(pk=alert.pk).update(reason=others[key])
        elif key not in others and (key in own or alert.reason == expectation.text):
            unfounded.append(alert)
    alerts_close(unfounded, user)


def _pattern_read(pattern: str) -> str:
    try:
        return pattern_check(pattern)
    except ValueError as wrong:
        raise ValidationError({"pattern": str(wrong)}) from wrong


def _text_check(application: Application, metric: Metric, text: str) -> None:
    try:
        expected = expectation_parse(text, _parameters(application))
        if isinstance(expected, Bound):
            bound_value(expected, metric)
    except ValueError as wrong:
        raise ValidationError({"text": str(wrong)}) from wrong


def bound_value(bound: Bound, metric: Metric) -> float:
    """Return a bound in the metric's unit. A bound without a unit is in that unit already.

    Raises:
        ValueError: the bound's unit cannot be converted to the metric's.
    """
    wanted = bound.unit.strip()
    if not wanted or wanted.lower() == metric.unit.strip().lower():
        return bound.value
    seconds = unit_seconds(wanted)
    if seconds is None or not is_time(metric):
        own = f"the unit of {metric.name}, {metric.unit}" if metric.unit else f"none, as {metric.name} has"
        raise ValueError(f"Found the unit “{wanted}”, expected {own}.")
    return bound.value * seconds / seconds_in(metric)


def applications_unexpected() -> QuerySet[Application]:
    """Return applications with finished runs that must still be compared with expectations."""
    return Application.objects.filter(pk__in=runs_behind().values("campaign__version__application"))


def application_expect(application: Application) -> None:
    """Compare an application's remaining runs with all expectations, oldest versions first."""
    rows = runs_behind().filter(campaign__version__application=application)
    ordered = rows.order_by("campaign__version__position", "pk")
    for run in ordered.select_related("campaign__version__application", "campaign__machine"):
        try:
            _expect_again(run)
        except DatabaseError:
            raise
        except Exception:  # any failure affects only this run's expectations
            LOG.exception("Run %s could not be compared with the expectations.", run.pk)
            ModelRun.objects.filter(pk=run.pk).update(expected_at=timezone.now())


@transaction.atomic
def _expect_again(run: ModelRun) -> None:
    """Compare a finished run with all expectations, unless it is being modelled again."""
    _lock(run.campaign.version.application)
    if ModelRun.objects.filter(pk=run.pk, state=State.DONE).exists():
        run_expect(run)


def run_expect(run: ModelRun) -> None:
    """Compare a run's models with the expectations, which the caller has locked, and store probabilities."""
    now = timezone.now()
    rows = Expectation.objects.filter(application=run.campaign.version.application_id)
    rows = rows.select_related("metric", "application")
    by_metric: dict[int, list[Expectation]] = {}
    for row in rows:
        by_metric.setdefault(row.metric_id, []).append(row)
    ExpectationResult.objects.filter(run=run).delete()
    for metric_id, wanted in by_metric.items():
        # a complete list, because no query may run while rows are copied
        results = list(_results(run, metric_id, wanted))
        copy_rows(ExpectationResult, ["run", "expectation", "kernel", "probability"], results)
    _alert(run)
    run.expected_at = now
    run.save(update_fields=["expected_at"])


def _results(
    run: ModelRun, metric_id: int, wanted: Sequence[Expectation]
) -> Iterator[tuple[int, int, int, float | None]]:
    """Yield the ids of run, expectation and kernel, and the probability, for expectations in one metric."""
    rows = run.models.filter(metric=metric_id)
    paths = dict(rows.values_list("kernel_id", "kernel__path"))
    about = {each.pk: {k for k, path in paths.items() if matches(each.pattern, path)} for each in wanted}
    questions = {each.pk: question(each, run.campaign) for each in wanted}
    for models in model_portions(rows.filter(kernel__in=set().union(*about.values())), run.campaign):
        loaded = arrays.models_load(models, run.campaign)
        ids = [row.kernel_id for row in models]
        for pk, ask in questions.items():
            some = [at for at, kernel in enumerate(ids) if kernel in about[pk]]
            if some:
                found = arrays.finite(ask(loaded.part(np.array(some)))).tolist()
                yield from ((run.pk, pk, ids[at], each) for at, each in zip(some, found, strict=True))


Question = Callable[[Models], arrays.FloatArray]
"""Computes the probability of each kernel's model that an expectation holds; NaN if it is not known."""


def question(expectation: Expectation, campaign: Campaign) -> Question:
    """Return the function that judges a campaign's models by an expectation; NaN if impossible."""
    try:
        expected = expectation_parse(expectation.text, _parameters(expectation.application))
        return _question(expected, expectation.metric, campaign)
    except ValueError:  # the campaign lacks a parameter, or the metric's unit has changed
        return _not_told


def _question(expected: Expected, metric: Metric, campaign: Campaign) -> Question:
    """Return the function that judges models.

    Raises:
        ValueError: the campaign lacks a parameter, or the unit does not fit.
    """
    if isinstance(expected, Bound):
        _check_parameters(expected.at, campaign)
        point = target_point(expected.at, campaign)
        return partial(_within, point=point, value=bound_value(expected, metric), least=expected.least)
    _check_parameters(expected.exponents, campaign)
    free = (0.0, 0.0) if expected.constant else (np.nan, np.nan)
    most = np.array([expected.exponents.get(name, free) for name in campaign.parameters], float)
    return partial(growth_probability, most=most)


def _not_told(models: Models) -> arrays.FloatArray:
    return np.full(len(models), np.nan)


def _parameters(application: Application) -> list[str]:
    return list(application.parameters.values_list("name", flat=True))


def _check_parameters(wanted: Mapping[str, object], campaign: Campaign) -> None:
    missing = [name for name in wanted if name not in campaign.parameters]
    if missing:
        raise ValueError(f"The campaign does not vary {', '.join(missing)}.")


def _within(models: Models, *, point: arrays.FloatArray, value: float, least: bool) -> arrays.FloatArray:
    below = below_probability(models, point, value)
    return 1 - below if least else below


def _alert(run: ModelRun) -> None:
    """Raise an alert for each kernel that breaks expectations, about the most surely broken one."""
    surest: dict[tuple[int, int], ExpectationResult] = {}
    for row in results_broken(run.pk):
        surest.setdefault((row.expectation.metric_id, row.kernel_id), row)
    told = ExpectationResult.objects.filter(run=run, probability__isnull=False)
    alerts_raise(
        version=run.campaign.version,
        machine=run.campaign.machine,
        cause=Alert.Cause.EXPECTATION,
        findings=[
            Finding(
                metric_id=metric_id, kernel_id=kernel_id, verdict="expectation",
                probability=1 - (row.probability or 0.0), reason=row.expectation.text,
            )
            for (metric_id, kernel_id), row in surest.items()
        ],
        judged=set(told.values_list("expectation__metric_id", "kernel_id")),
    )  # fmt: skip


def _lock(application: Application) -> None:
    Application.objects.select_for_update().get(pk=application.pk)
