"""Measure how long the end of a run locks its application.

    python -m tests.benchmarks.portal.trends DIR [VERSIONS KERNELS]

The program makes an application of 100 versions and 50,000 kernels in the folder DIR, with predictions and
without posteriors. It updates the lines of predictions of all kernels at a new version, and at versions that
were modelled again. The limit is 10 s for each update. An application that is already stored is kept.
"""

import os
import sys
import time
from pathlib import Path

BAR = 10


def main() -> None:
    """Fill the folder, then measure."""
    os.environ["PERFWEB_DATA"] = str(Path(sys.argv[1]))
    versions, kernels = (int(word) for word in sys.argv[2:4] or ("100", "50000"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    import django  # noqa: PLC0415 -- the settings read the folder's name

    django.setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from perfweb.launcher import servers  # noqa: PLC0415

    with servers.running(settings.EMBEDDED):
        call_command("migrate", verbosity=0)
        fill(f"trends-{versions}-{kernels}", versions, kernels)
        measure(f"trends-{versions}-{kernels}")


def fill(slug: str, versions: int, kernels: int) -> None:
    """Store versions with one finished run each, with the rows that the services would make."""
    from django.db import connection  # noqa: PLC0415

    from ingest.models import Application, Campaign, Kernel, Machine, Metric, Version  # noqa: PLC0415
    from modeling.models import ModelRun, State  # noqa: PLC0415
    from perfweb.accounts.models import Project  # noqa: PLC0415

    project, _ = Project.objects.get_or_create(slug="large", defaults={"name": "large"})
    if Application.objects.filter(slug=slug).exists():
        return
    application = Application.objects.create(project=project, slug=slug, name=slug)
    metric = Metric.objects.create(application=application, name="time", unit="s")
    machine, _ = Machine.objects.get_or_create(project=project, name="machine")
    Kernel.objects.bulk_create(
        (Kernel(application=application, path=f"main->k{number:06}") for number in range(kernels)), 5000
    )
    for position in range(versions):
        version = Version.objects.create(application=application, label=f"1.{position}", position=position)
        campaign = Campaign.objects.create(
            version=version, machine=machine, parameters=["p"], points=[[4.0], [8.0], [16.0], [32.0], [64.0]],
            kernel_count=kernels, value_count=25 * kernels, repetitions=5,
        )  # fmt: skip
        run = ModelRun.objects.create(campaign=campaign, modeler="evidence", revision=1, state=State.DONE)
        with connection.cursor() as cursor:
            cursor.execute(MODELS, [run.pk, metric.pk, application.pk])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


MODELS = """
INSERT INTO modeling_model (
    run_id, metric_id, kernel_id, status, reason, points_used, expression, growth, constant, coefficients,
    exponents, covariance, degrees_of_freedom, lead_exponents, lead_certainty, smape, relative_error,
    r_squared, rss, cv_smape, holdout_error, noise, noise_mean, noise_median, noise_min, noise_max,
    counts_to_total, largest, predicted, lower, upper)
SELECT %s, %s, id, 'ok', '', 5, '0.0123 + 0.00456 · p · log2(p)', 'linear', random(), ARRAY[random()],
       ARRAY[1, 1], ARRAY[random(), 0, 0, random()], 3, ARRAY[1, 1], ARRAY[0.9], random(), random(), random(),
       random(), random(), random(), random(), random(), random(), random(), random(), true,
       random(), random(), random(), random()
FROM ingest_kernel WHERE application_id = %s
"""


def measure(slug: str) -> None:
    """Print the seconds of each update."""
    from django.db.models.expressions import RawSQL  # noqa: PLC0415

    from ingest.models import Application, Machine  # noqa: PLC0415
    from modeling.models import Trend  # noqa: PLC0415
    from modeling.services.predictions.trends import trends_follow  # noqa: PLC0415

    application = Application.objects.get(slug=slug)
    machine = Machine.objects.get(project=application.project)
    versions = list(application.versions.values_list("pk", flat=True))
    if not Trend.objects.exists():
        for version in versions:
            trends_follow(application, machine, version)
    Trend.objects.update(versions=RawSQL("versions[:%s]", [len(versions) - 1]),
                         predicted=RawSQL("predicted[:%s]", [len(versions) - 1]))  # fmt: skip
    middle, last = versions[len(versions) // 2], versions[-1]
    for name, version in (("a new", last), ("the last", last), ("the middle", middle)):
        begin = time.perf_counter()
        trends_follow(application, machine, version)
        print(f"at {name} version: {time.perf_counter() - begin:.1f} s (bar {BAR} s)", flush=True)


if __name__ == "__main__":
    main()
