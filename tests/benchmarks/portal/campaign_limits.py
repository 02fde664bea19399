"""Measure the memory and time of the steps after modeling, for campaigns of the largest accepted sizes.

    python -m tests.benchmarks.portal.campaign_limits DIR [NAME]

Such campaigns are stored in the data folder DIR, with models copied from those of a few kernels. Then the
program loads, compares, retargets, scores, judges and shows them, each in a separate process. It prints the
peak resident memory of each process, which includes all imports. The limit is 1 GiB. Campaigns that are
already in DIR are kept. Names of measurements and of sizes after DIR choose some of them.
"""

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

BAR = 1024
SIZES = {
    "usual": (2_000, 25, 5, 2),
    "kernels": (100_000, 40, 5, 3),
    "points": (2_000, 10_000, 1, 3),
    "repetitions": (2, 1_000, 10_000, 2),
    "parameters": (1_000, 100, 5, 20),
}
"""Numbers of kernels, points, repetitions and parameters."""

MANY_PARAMETERS = 8
"""Smallest number of parameters for which this program stores no models."""

FITTED_KERNELS, FITTED_POINTS = 40, 60
"""Number of kernels, and of points, that are modelled in each campaign. The models of all other kernels are
copies.
"""


def main() -> None:
    """Fill the folder, then measure."""
    os.environ["PERFWEB_DATA"] = sys.argv[1]
    django_setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    from perfweb.launcher import servers  # noqa: PLC0415

    with servers.running(settings.EMBEDDED):
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        connection.close()
        for name, size in SIZES.items():
            apart(filled, name, *size)
            if size[3] < MANY_PARAMETERS:
                apart(modelled, name)
        for name in chosen({*sys.argv[2:]}):
            print(f"{name}: {apart(measured, name)}", flush=True)


def chosen(words: set[str]) -> list[str]:
    """Return the measurements that the words name, by kind and by size. If no word names a kind or a size,
    return all.
    """
    kinds, sizes = words & {*WORK} or {*WORK}, words & {*SIZES} or {*SIZES}
    return [name for name in MEASURED if name.split()[0] in kinds and name.split()[1] in sizes]


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Call the function in a separate process, and return its result."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def django_setup() -> None:
    """Load Django and the models."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    import django  # noqa: PLC0415 -- the settings read the folder's name

    django.setup()


def filled(slug: str, kernels: int, points: int, repetitions: int, parameters: int) -> None:
    """Store two versions of an application of this size."""
    django_setup()
    import numpy as np  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    from ingest.models import (  # noqa: PLC0415
        Application,
        Campaign,
        Kernel,
        Machine,
        Metric,
        Parameter,
        Version,
    )
    from perfweb.accounts.models import Project  # noqa: PLC0415

    project, _ = Project.objects.get_or_create(slug="limits", defaults={"name": "limits"})
    if Application.objects.filter(slug=slug).exists():
        return
    application = Application.objects.create(project=project, slug=slug, name=slug)
    metric = Metric.objects.create(application=application, name="time", unit="s")
    machine, _ = Machine.objects.get_or_create(project=project, name="machine")
    names = [f"p{number}" for number in range(parameters)]
    for position, name in enumerate(names):
        Parameter.objects.create(application=application, name=name, position=position)
    made = (Kernel(application=application, path=f"main->k{number:06}") for number in range(kernels))
    ids = [kernel.pk for kernel in Kernel.objects.bulk_create(made, batch_size=5000)]
    rng = np.random.default_rng(0)
    where = np.unique(np.exp2(rng.integers(0, 40, (4 * points, parameters)) / 4), axis=0)[:points]
    truth = np.sqrt(where[:, 0]) + 1
    for number, label in enumerate(("1.0", "1.1")):
        version = Version.objects.create(application=application, label=label, position=number)
        campaign = Campaign.objects.create(
            version=version, machine=machine, parameters=names, points=where.tolist(), kernel_count=kernels,
            value_count=kernels * len(where) * repetitions, repetitions=repetitions,
        )  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(
                """
                INSERT INTO ingest_series (campaign_id, metric_id, kernel_id, repetitions, values)
                SELECT %s, %s, kernel, %s, ARRAY(
                    SELECT truth * (0.95 + 0.1 * random() + 0 * kernel)
                    FROM unnest(%s::float8[]) truth, generate_series(1, %s)
                ) FROM unnest(%s) kernel ORDER BY kernel
                """,
                [campaign.pk, metric.pk, repetitions, truth.tolist(), repetitions, ids],
            )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def modelled(slug: str) -> None:
    """Store a finished run for each version."""
    django_setup()
    from django.db import connection  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from ingest.models import Campaign, Metric, Target  # noqa: PLC0415
    from modeling.engine import DEFAULT_MODELER, ENGINE_VERSION  # noqa: PLC0415
    from modeling.models import Model, ModelRun, State  # noqa: PLC0415
    from modeling.services.predictions.default_target import totals_store  # noqa: PLC0415

    metric = Metric.objects.get(application__slug=slug)
    if Target.objects.filter(application=metric.application).exists():
        return
    for campaign in Campaign.objects.filter(version__application__slug=slug):
        target = dict.fromkeys(campaign.parameters, 2048.0)
        run = ModelRun.objects.create(
            campaign=campaign, modeler=DEFAULT_MODELER, engine_version=ENGINE_VERSION, revision=1,
            target=target, state=State.RUNNING, series_total=campaign.kernel_count,
            series_done=campaign.kernel_count, finished_at=timezone.now(),
        )  # fmt: skip
        some_modelled(run, metric.pk)
        names = [
            str(field.column) for field in Model._meta.concrete_fields if field.name not in ("id", "kernel")
        ]
        columns = ", ".join(names)
        with connection.cursor() as cursor:
            cursor.execute(
                f"""
                INSERT INTO modeling_model (kernel_id, {columns})
                SELECT kernel.id, {columns}
                FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM ingest_kernel
                      WHERE application_id = %s) kernel
                JOIN (SELECT *, row_number() OVER (ORDER BY kernel_id) - 1 AS place FROM modeling_model
                      WHERE run_id = %s) model
                ON model.place = kernel.place %% {FITTED_KERNELS} AND kernel.place >= {FITTED_KERNELS}
                """,
                [metric.application_id, run.pk],
            )
            cursor.execute("UPDATE modeling_model SET status = 'ok' WHERE run_id = %s", [run.pk])
        totals_store(run)
        ModelRun.objects.filter(pk=run.pk).update(state=State.DONE)
    Target.objects.create(application=metric.application, name="far", values=target)


def some_modelled(run: Any, metric_id: int) -> None:
    """Fit some kernels of the run's campaign at some points, and store their models."""
    import numpy as np  # noqa: PLC0415

    from modeling.engine import fit  # noqa: PLC0415
    from modeling.selectors.run.targets import target_point  # noqa: PLC0415
    from modeling.storage import arrays, model_rows  # noqa: PLC0415

    kernels, _ = arrays.series_sizes(run.campaign, metric_id)
    series = arrays.series_load(run.campaign, metric_id, kernels[:FITTED_KERNELS].tolist())
    some = np.unique(np.linspace(0, len(series.points) - 1, FITTED_POINTS).astype(int))
    values = series.values[:, some, :20]
    part = arrays.SeriesArrays(series.points[some], series.kernels, values, None)
    models = fit(part.points, part.values)
    everything = np.ones(len(models), bool)
    target = target_point(run.target, run.campaign)
    model_rows.store(
        run, metric_id, model_rows.modelled(part, models, run.campaign.parameters, everything, target)
    )


def measured(name: str) -> str:
    """Do one measurement in this process, and return its time and memory."""
    django_setup()
    kind, slug = name.split()
    work = WORK[kind](slug)
    before, begin, processor = _resident(), time.perf_counter(), time.process_time()
    said = work()
    seconds, spent = time.perf_counter() - begin, time.process_time() - processor
    return (
        f"{seconds:.1f} s ({spent:.1f} s here), {before:.0f} → {_resident():.0f} MB (bar {BAR}) {said or ''}"
    )


def of_campaign(work: Callable[[Any, int], Any]) -> Callable[[str], Callable[[], Any]]:
    """Return a function that does some work on the application's first campaign and its metric."""

    def prepare(slug: str) -> Callable[[], Any]:
        from ingest.models import Campaign, Metric  # noqa: PLC0415

        metric = Metric.objects.get(application__slug=slug)
        campaign = Campaign.objects.filter(version__application__slug=slug).earliest("pk")
        return lambda: work(campaign, metric.pk)

    return prepare


@of_campaign
def loading(campaign: Any, metric_id: int) -> Any:
    """Load all series of the campaign."""
    from modeling.storage import arrays  # noqa: PLC0415

    return arrays.series_load(campaign, metric_id).values.shape


@of_campaign
def medians(campaign: Any, metric_id: int) -> Any:
    """Load all medians of the campaign."""
    from modeling.storage import arrays  # noqa: PLC0415

    return arrays.series_medians(campaign, metric_id)[1].shape


@of_campaign
def comparing(campaign: Any, metric_id: int) -> Any:
    """Compare the two versions."""
    from ingest.models import Campaign  # noqa: PLC0415
    from modeling.models import Comparison, State  # noqa: PLC0415
    from modeling.services.changes.comparisons import comparison_execute  # noqa: PLC0415

    application = campaign.version.application
    after = Campaign.objects.filter(version__application=application).latest("pk")
    Comparison.objects.filter(before=campaign).delete()
    comparison = Comparison.objects.create(
        application=application, before=campaign, after=after, state=State.QUEUED
    )
    comparison_execute(comparison)
    comparison.refresh_from_db()
    return f"{comparison.state} {comparison.error} {comparison.changes.count()}"


@of_campaign
def retargeting(campaign: Any, metric_id: int) -> Any:
    """Update the stored predictions of one campaign to a new target."""
    from ingest.models import Target  # noqa: PLC0415
    from modeling.models import ModelRun  # noqa: PLC0415
    from modeling.services.predictions.default_target import run_retarget  # noqa: PLC0415

    run = ModelRun.objects.get(campaign=campaign)
    moved = {name: 1.5 * value for name, value in run.target.items()}
    Target.objects.filter(application=campaign.version.application).update(values=moved)
    return run_retarget(run)


@of_campaign
def trends(campaign: Any, metric_id: int) -> Any:
    """Update the lines of predictions at one version."""
    from modeling.services.predictions.trends import trends_follow  # noqa: PLC0415

    return trends_follow(campaign.version.application, campaign.machine, campaign.version_id)


@of_campaign
def forecasting(campaign: Any, metric_id: int) -> Any:
    """Score all points of the second campaign as forecasts, as if the first campaign had measured none of
    them.
    """
    import numpy as np  # noqa: PLC0415

    from ingest.models import Campaign  # noqa: PLC0415
    from modeling.models import Forecast  # noqa: PLC0415
    from modeling.services.predictions import forecasts  # noqa: PLC0415

    later = Campaign.objects.filter(version__application=campaign.version.application).latest("pk")
    forecasts._beyond = lambda known, new: np.ones(len(new), bool)
    forecasts._score(campaign, later)
    return Forecast.objects.filter(campaign=later).count()


@of_campaign
def judging(campaign: Any, metric_id: int) -> Any:
    """Judge the first portion of the laws."""
    from modeling.models import ModelRun  # noqa: PLC0415
    from modeling.services.models.stability import run_judge  # noqa: PLC0415

    run = ModelRun.objects.get(campaign=campaign)
    run_judge(run)
    run.refresh_from_db()
    return f"{run.judged} {run.failures}"


def showing(address: str) -> Callable[[str], Callable[[], Any]]:
    """Return a function that requests a page twice, at a target that is not stored."""

    def prepare(slug: str) -> Callable[[], Any]:
        from django.test import Client  # noqa: PLC0415

        from ingest.models import Campaign, Kernel, Metric  # noqa: PLC0415
        from perfweb.accounts.models import Membership, Role, User  # noqa: PLC0415

        metric = Metric.objects.get(application__slug=slug)
        campaign = Campaign.objects.filter(version__application__slug=slug).latest("pk")
        user, _ = User.objects.get_or_create(username="limits")
        project = metric.application.project
        Membership.objects.get_or_create(project=project, user=user, defaults={"role": Role.OWNER})
        client = Client(headers={"host": "localhost"})
        client.force_login(user)
        kernel = Kernel.objects.filter(application=metric.application).first()
        assert kernel is not None
        at = ",".join(f"{name}:3000" for name in campaign.parameters)
        url = address.format(application=slug, version="1.1", kernel=kernel.pk, campaign=campaign.pk, at=at)

        def ask() -> str:
            said = []
            for _ in range(2):
                begin = time.perf_counter()
                answer = client.get(url)
                seconds = time.perf_counter() - begin
                said.append(f"{answer.status_code}: {seconds:.1f} s, {sum(map(len, answer)):,} bytes")
            return f"{url} {said}"

        return ask

    return prepare


WORK = {
    "load": loading,
    "medians": medians,
    "compare": comparing,
    "trends": trends,
    "retarget": retargeting,
    "forecast": forecasting,
    "judge": judging,
    "home": showing("/"),
    "application": showing("/a/limits/{application}/"),
    "history": showing("/a/limits/{application}/history/"),
    "comparison": showing("/a/limits/{application}/compare/"),
    "campaign": showing("/campaigns/{campaign}/"),
    "target": showing("/campaigns/{campaign}/?target={at}"),
    "export": showing("/campaigns/{campaign}/kernels.csv"),
    "kernel": showing("/campaigns/{campaign}/kernels/{kernel}/"),
    "tab": showing("/campaigns/{campaign}/kernels/{kernel}/?target={at}"),
    "rest": showing("/api/v1/campaigns/{campaign}/models/?target={at}"),
}
WITHOUT_MODELS = ("load", "medians", "compare")
MEASURED = [
    f"{name} {slug}"
    for name in WORK
    for slug, size in SIZES.items()
    if name in WITHOUT_MODELS or size[3] < MANY_PARAMETERS
]


def _resident() -> float:
    """Return the peak resident memory of this process so far, in MiB."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
