"""Functions that make rows for tests. Each has defaults, and also makes the rows on which its row depends."""

import math
from collections.abc import Iterable
from itertools import count

from django.utils import timezone

from ingest.models import (
    Application,
    Campaign,
    Kernel,
    Machine,
    Metric,
    Parameter,
    Series,
    Target,
    Upload,
    Version,
)
from modeling.engine import ENGINE_VERSION
from modeling.models import Alert, Change, Comparison, Model, ModelRun, Plan, Report, State
from modeling.selectors.application.choices import choices
from modeling.selectors.reports.build import report_content
from modeling.selectors.reports.subject import subject_of
from modeling.selectors.versions.standings import standings
from modeling.services.predictions.default_target import totals_store
from modeling.services.predictions.trends import trends_follow
from perfweb.accounts.models import ApiToken, Membership, Project, Role, Scope, User
from perfweb.accounts.tokens import token_create

_serial = count(1)


def make_user(name: str = "", **fields: object) -> User:
    """Make a user. `client.force_login` signs this user in."""
    return User.objects.create(username=name or f"user{next(_serial)}", **fields)


def make_project(slug: str = "") -> Project:
    """Make a project without members."""
    slug = slug or f"project-{next(_serial)}"
    return Project.objects.create(slug=slug, name=slug.title())


def make_member(project: Project, role: Role = Role.VIEWER, name: str = "") -> User:
    """Make a user with a role in the project."""
    user = make_user(name or f"{role.label}{next(_serial)}")
    Membership.objects.create(project=project, user=user, role=role)
    return user


def make_token(user: User, project: Project, *scopes: Scope, **fields: object) -> tuple[ApiToken, str]:
    """Make a token and return it with its plaintext.

    `fields` are written to the row afterwards, such as an expiry in the past.
    """
    token, plaintext = token_create(project=project, user=user, name="test", scopes=list(scopes))
    if fields:
        ApiToken.objects.filter(pk=token.pk).update(**fields)
        token.refresh_from_db()
    return token, plaintext


Term = tuple[float, tuple[float, ...]]
"""Coefficient, then the exponents i, j of each parameter."""
Law = tuple[float, list[Term]]
"""Constant and terms."""


def make_application(project: Project | None = None, slug: str = "hydro", **target: float) -> Application:
    """Make an application with the parameters p (processes) and n and the metric time.

    Its target lies far beyond the measured points.
    """
    application = Application.objects.create(project=project or make_project(), slug=slug, name=slug.title())
    roles = (("p", Parameter.Role.PROCESSES), ("n", Parameter.Role.PROBLEM_SIZE))
    for position, (name, role) in enumerate(roles):
        Parameter.objects.create(application=application, name=name, role=role, position=position)
    Metric.objects.create(application=application, name="time", unit="s")
    Target.objects.create(
        application=application, name="full machine", values=target or {"p": 65536, "n": 8000}
    )
    return application


POINTS = [[p, n] for p in (4.0, 16.0, 64.0, 256.0, 1024.0) for n in (1000.0, 2000.0, 4000.0)]


def make_campaign(application: Application, label: str, machine: str = "cluster-a") -> Campaign:
    """Make a version with a stored campaign over `POINTS`, without any series."""
    project = application.project
    position = application.versions.count()
    version, _ = Version.objects.get_or_create(
        application=application,
        label=label,
        defaults={"position": position, "commit": f"{position:07x}".ljust(12, "e")},
    )
    serial = next(_serial)
    campaign = Campaign.objects.create(
        version=version, machine=Machine.objects.get_or_create(project=project, name=machine)[0],
        parameters=["p", "n"], points=POINTS, kernel_count=0, value_count=0, repetitions=5,
    )  # fmt: skip
    Upload.objects.create(
        project=project, application_slug=application.slug, version_label=label, machine_name=machine,
        filename=f"{label}.jsonl", size=1, sha256=f"{serial:064x}", state=Upload.State.DONE, progress=1,
        campaign=campaign,
    )  # fmt: skip
    return campaign


def make_run(campaign: Campaign, laws: dict[str, Law]) -> ModelRun:
    """Make a finished run with these laws, intervals of ± 10 %, and the rows that services derive
    from them.
    """
    application = campaign.version.application
    metric, target = application.metrics.get(name="time"), application.targets.all()[0]
    run = ModelRun.objects.create(
        campaign=campaign, modeler="regression", state=State.DONE, revision=1, target=target.values,
        engine_version=ENGINE_VERSION,
        series_done=len(laws), series_total=len(laws), finished_at=timezone.now(), seconds=0.1,
    )  # fmt: skip
    goal = [target.values[name] for name in campaign.parameters]
    kernels = _kernels(application, laws)
    Model.objects.bulk_create(_model(run, metric, kernels[path], law, goal) for path, law in laws.items())
    totals_store(run)
    trends_follow(application, campaign.machine, campaign.version_id)
    return run


def make_series(campaign: Campaign) -> None:
    """Store five repetitions at every point for all kernels of the application."""
    metric = campaign.version.application.metrics.get()
    values = [1.0 + 0.01 * place for place in range(5 * len(campaign.points))]
    for kernel in campaign.version.application.kernels.all():
        Series.objects.create(campaign=campaign, kernel=kernel, metric=metric, repetitions=5, values=values)


def make_change(comparison: Comparison, path: str, kind: Change.Kind, ratio: float | None) -> Change:
    """Make a change of a kernel between the two campaigns."""
    kernel = comparison.application.kernels.get(path=path)
    metric = comparison.application.metrics.get(name="time")
    return Change.objects.create(
        comparison=comparison, kernel=kernel, metric=metric, kind=kind, probability=0.998, ratio=ratio,
        ratio_lower=ratio and 0.9 * ratio, ratio_upper=ratio and 1.1 * ratio,
    )  # fmt: skip


def make_comparison(before: Campaign, after: Campaign, state: State = State.DONE) -> Comparison:
    """Make a comparison of two campaigns in which nothing changed."""
    return Comparison.objects.create(
        application=after.version.application, before=before, after=after, state=state
    )


def make_alert(
    campaign: Campaign, path: str, comparison: Comparison | None = None, **fields: object
) -> Alert:
    """Make an open alert of a kernel in the version of a campaign."""
    application = campaign.version.application
    metric = application.metrics.get(name="time")
    numbers = {
        "verdict": "slower",
        "probability": 0.998,
        "ratio": 1.5,
        "ratio_lower": 1.4,
        "ratio_upper": 1.6,
    }
    return Alert.objects.create(
        application=application, version=campaign.version, machine=campaign.machine, metric=metric,
        kernel=_kernels(application, [path])[path], cause=Alert.Cause.CHANGE, comparison=comparison,
        **numbers | {"difference": 3.0, "effect": 0.1} | fields,
    )  # fmt: skip


def make_report(campaign: Campaign) -> Report:
    """Make a report without an author on the campaign's version in the metric time."""
    application = campaign.version.application
    found = choices(Application.objects.filter(pk=application.pk))
    metric = application.metrics.get(name="time")
    assert found is not None
    subject = subject_of(found, standings(application), campaign.machine, campaign.version_id, metric)
    assert subject is not None
    return Report.objects.create(
        application=application, version=campaign.version, machine=campaign.machine, metric=metric,
        content=report_content(subject),
    )  # fmt: skip


def _kernels(application: Application, paths: Iterable[str]) -> dict[str, Kernel]:
    """Return the application's kernels by their paths, and make those that are missing."""
    Kernel.objects.bulk_create(
        [Kernel(application=application, path=path) for path in paths], ignore_conflicts=True
    )
    return {kernel.path: kernel for kernel in application.kernels.filter(path__in=paths)}


def law_value(law: Law, point: list[float]) -> float:
    """Return the value of the law at a point, in plain arithmetic."""
    constant, terms = law
    return constant + sum(
        coefficient
        * math.prod(
            x ** exponents[2 * axis] * math.log2(x) ** exponents[2 * axis + 1] for axis, x in enumerate(point)
        )
        for coefficient, exponents in terms
    )


def _model(run: ModelRun, metric: Metric, kernel: Kernel, law: Law, goal: list[float]) -> Model:
    constant, terms = law
    predicted = law_value(law, goal)
    size = len(terms) + 1
    return Model(
        run=run, kernel=kernel, metric=metric, status="ok", points_used=len(POINTS), expression=str(law),
        growth="linear" if terms else "constant", constant=constant,
        coefficients=[coefficient for coefficient, _ in terms],
        exponents=[value for _, exponents in terms for value in exponents],
        covariance=[0.01 * constant**2 * (row == column) for row in range(size) for column in range(size)],
        degrees_of_freedom=len(POINTS) - size,
        lead_exponents=list(terms[-1][1]) if terms else [0.0] * 4,
        smape=0.02, relative_error=0.02, r_squared=0.99, rss=0.1, cv_smape=0.024, holdout_error=0.031,
        noise=0.1, noise_mean=0.08, noise_median=0.08, noise_min=0.02, noise_max=0.1,
        counts_to_total=True, largest=law_value(law, POINTS[-1]),
        predicted=predicted, lower=0.9 * predicted, upper=1.1 * predicted,
    )  # fmt: skip


def make_plan(application: Application, label: str = "1.0", **fields: object) -> Plan:
    """Make a plan of two runs at one point and one run at another. Neither point was measured before."""
    values: dict[str, object] = {
        "goal": "interval", "machine_name": "cluster-a", "metric_name": "time", "parameters": ["p", "n"],
        "points": [[8, 1000], [2048, 1000]], "repetitions": [2, 1], "costs": [0.5, 2.0],
        "buys": ["the first", "the second"], "reasons": ["the first", "the second", "They are enough."],
        "measured": [0, 0], "target": {"p": 65536, "n": 8000},
    }  # fmt: skip
    return Plan.objects.create(application=application, version_label=label, **values | fields)
