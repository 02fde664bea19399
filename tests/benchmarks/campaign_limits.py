"""Memory and time of what follows the models: `python -m tests.benchmarks.campaign_limits DIR [NAME ...]`.

Stores campaigns of the largest sizes that are accepted in the data folder DIR, with models copied from those
of a few kernels, and then loads, compares, retargets, scores, judges and shows them, each in a process of its
own, whose largest resident memory is told, everything imported included. Bar: 1 GiB. What is stored already
stays; names of measurements or sizes after DIR choose some.
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
"""Kernels, points, repetitions and parameters."""


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
        connection.close()
        for name, size in SIZES.items():
            apart(filled, name, *size)
        wanted = [name for name in MEASURED if not sys.argv[2:] or {*name.split()} & {*sys.argv[2:]}]
        for name in wanted:
            print(f"{name}: {apart(measured, name)}", flush=True)


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do it in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def django_setup() -> None:
    """Make the models known."""
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


def measured(name: str) -> str:
    """Time and memory of one measurement, in this process."""
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
    """Prepare some work on the first campaign of an application and its metric."""

    def prepare(slug: str) -> Callable[[], Any]:
        from ingest.models import Campaign, Metric  # noqa: PLC0415

        metric = Metric.objects.get(application__slug=slug)
        campaign = Campaign.objects.filter(version__application__slug=slug).earliest("pk")
        return lambda: work(campaign, metric.pk)

    return prepare


@of_campaign
def loading(campaign: Any, metric_id: int) -> Any:
    """Load all series."""
    from modeling import arrays  # noqa: PLC0415

    return arrays.series_load(campaign, metric_id).values.shape


@of_campaign
def medians(campaign: Any, metric_id: int) -> Any:
    """Load all medians."""
    from modeling import arrays  # noqa: PLC0415

    return arrays.series_medians(campaign, metric_id)[1].shape


@of_campaign
def comparing(campaign: Any, metric_id: int) -> Any:
    """Compare the two versions."""
    from ingest.models import Campaign  # noqa: PLC0415
    from modeling.models import Comparison, State  # noqa: PLC0415
    from modeling.services.comparisons import comparison_execute  # noqa: PLC0415

    application = campaign.version.application
    after = Campaign.objects.filter(version__application=application).latest("pk")
    Comparison.objects.filter(before=campaign).delete()
    comparison = Comparison.objects.create(
        application=application, before=campaign, after=after, state=State.QUEUED
    )
    comparison_execute(comparison)
    comparison.refresh_from_db()
    return f"{comparison.state} {comparison.error} {comparison.changes.count()}"


WORK = {"load": loading, "medians": medians, "compare": comparing}
MEASURED = [f"{name} {slug}" for name in WORK for slug in SIZES]


def _resident() -> float:
    """The process's largest resident memory so far, MiB."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
