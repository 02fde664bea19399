"""Fill a database of realistic size.

    python -m tests.benchmarks.portal.large_database DIR [VERSIONS KERNELS]

The program stores 100 versions × 2,000 kernels × 25 points × 10 repetitions (50 million values) in the data
folder DIR. It uses the ordinary services, so the rows are the same as after uploads. Rows that already exist
are kept.
"""

import os
import sys
import time
from pathlib import Path


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
    from django.core.files.base import ContentFile  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    from ingest.formats import Campaign as ParsedCampaign  # noqa: PLC0415
    from ingest.models import Upload, Version  # noqa: PLC0415
    from ingest.services import campaign_store, upload_receive  # noqa: PLC0415
    from modeling.models import Comparison  # noqa: PLC0415
    from modeling.services.changes.comparisons import comparison_execute  # noqa: PLC0415
    from modeling.services.models.portions import portion_execute  # noqa: PLC0415
    from modeling.services.models.runs import run_execute, run_request  # noqa: PLC0415
    from perfweb.accounts.models import Membership, Project, Role, User  # noqa: PLC0415
    from tests.made_campaign import values  # noqa: PLC0415

    project, _ = Project.objects.get_or_create(slug="large", defaults={"name": "large"})
    user, _ = User.objects.get_or_create(username="large")
    Membership.objects.get_or_create(project=project, user=user, defaults={"role": Role.OWNER})
    begin = time.perf_counter()
    for number in range(Version.objects.filter(application__project=project).count(), versions):
        label = f"1.{number}"
        # From version 50 on, one kernel is slower.
        points, series = values(kernels, 10, seed=number, worse=7 if number >= versions // 2 else None)
        parsed = ParsedCampaign(("p", "n"), points, series, format="jsonl")
        content = ContentFile(label.encode(), name=f"{label}.jsonl")
        upload = upload_receive(project=project, application="app", version=label, file=content, user=user)
        campaign = campaign_store(upload=Upload.objects.get(pk=upload.pk), parsed=parsed)
        run = run_request(campaign)
        run_execute(run)
        for portion in run.portions.all():
            portion_execute(portion)
        run_execute(run)
        for comparison in Comparison.objects.exclude(state="done"):
            comparison_execute(comparison)
        print(f"{label}: {time.perf_counter() - begin:.0f} s", flush=True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT count(*), sum(array_length(values, 1)) FROM ingest_series")
        rows, stored = cursor.fetchone()
        print(f"{stored:,} values in {rows:,} rows")


if __name__ == "__main__":
    main()
