"""Fill a database of realistic size.

    python -m tests.benchmarks.portal.large_database DIR [VERSIONS KERNELS]

The program stores 100 versions × 2,000 kernels × 25 points × 10 repetitions (50 million values) in the data
folder DIR. It uses the ordinary services, so the rows are the same as after uploads. Rows that already exist
are kept. In the last two versions about half of the kernels changed, and the last one is also measured at the
target, which scores the predictions of all earlier versions. A second application varies one parameter.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

TARGET = 1024
"""The number of processes of the default target."""


def main() -> None:
    """Fill the folder."""
    folder = Path(sys.argv[1])
    versions, kernels = (int(word) for word in sys.argv[2:4] or ("100", "2000"))
    os.environ["PERFWEB_DATA"] = str(folder)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    import django  # noqa: PLC0415 -- the settings read the folder's name

    django.setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from perfweb.launcher import servers  # noqa: PLC0415

    with servers.running(settings.EMBEDDED):
        call_command("migrate", verbosity=0)
        fill(versions, kernels)


def fill(versions: int, kernels: int) -> None:
    """Store the missing versions, one after the other."""
    from django.db import connection  # noqa: PLC0415

    from ingest.formats import Campaign as ParsedCampaign  # noqa: PLC0415
    from ingest.models import Version  # noqa: PLC0415
    from perfweb.accounts.models import Membership, Project, Role, User  # noqa: PLC0415
    from tests.made_campaign import PROCESSES, values  # noqa: PLC0415

    project, _ = Project.objects.get_or_create(slug="large", defaults={"name": "large"})
    user, _ = User.objects.get_or_create(username="large")
    Membership.objects.get_or_create(project=project, user=user, defaults={"role": Role.OWNER})
    begin = time.perf_counter()

    def there(application: str) -> int:
        return Version.objects.filter(application__project=project, application__slug=application).count()

    def add(application: str, number: int, points: Any, series: Any) -> None:
        label = f"1.{number}"
        names = ("p", "n")[: points.shape[1]]
        add_version(user, project, application, label, ParsedCampaign(names, points, series, format="jsonl"))
        print(f"{application} {label}: {time.perf_counter() - begin:.0f} s", flush=True)

    for number in range(there("app"), versions):
        # From version 50 on, one kernel is slower.
        worse = {7} if number >= versions // 2 else set()
        add("app", number, *values(kernels, 10, seed=number, worse=worse))
    for number in range(max(there("app"), versions), versions + 2):
        worse = {kernel for kernel in range(kernels) if (kernel * number) % 4 < 2}
        processes = PROCESSES if number == versions else (*PROCESSES, TARGET)
        add("app", number, *values(kernels, 10, seed=number, worse=worse, processes=processes))
    for number in range(there("narrow"), 3):
        points, series = values(kernels // 10, 5, seed=number)
        some = points[:, 1] == points[0, 1]
        add("narrow", number, points[some, :1], {name: each[some] for name, each in series.items()})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT count(*), sum(array_length(values, 1)) FROM ingest_series")
        rows, stored = cursor.fetchone()
        print(f"{stored:,} values in {rows:,} rows")


def add_version(user: Any, project: Any, application: str, label: str, parsed: Any) -> None:
    """Store a version, model it and compare it, as the workers do."""
    from django.core.files.base import ContentFile  # noqa: PLC0415

    from ingest.models import Upload  # noqa: PLC0415
    from ingest.services import campaign_store, upload_receive  # noqa: PLC0415
    from modeling.models import Comparison, Portion  # noqa: PLC0415
    from modeling.services.changes.comparisons import comparison_execute  # noqa: PLC0415
    from modeling.services.models.portions import portion_execute  # noqa: PLC0415
    from modeling.services.models.runs import run_execute, run_request  # noqa: PLC0415

    content = ContentFile(label.encode(), name=f"{label}.jsonl")
    upload = upload_receive(project=project, application=application, version=label, file=content, user=user)
    run = run_request(campaign_store(upload=Upload.objects.get(pk=upload.pk), parsed=parsed))
    run_execute(run)
    # The first portion releases the others, with the priors that all kernels share.
    while portion := run.portions.filter(state=Portion.State.QUEUED).first():
        portion_execute(portion)
    run_execute(run)
    for comparison in Comparison.objects.exclude(state="done"):
        comparison_execute(comparison)


if __name__ == "__main__":
    main()
