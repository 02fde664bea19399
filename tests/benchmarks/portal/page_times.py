"""Measure the server time and database queries of pages and REST reads.

    python -m tests.benchmarks.portal.page_times DIR

First fill DIR with `tests.benchmarks.portal.large_database`. This program adds open changes until the inbox
has 5,000 of them. Limits for each page: 95 % of the requests take at most 100 ms, with at most 12 queries.
"""

import importlib
import os
import sys
import time
from itertools import cycle
from pathlib import Path

import numpy as np

REPEATS = 25
OPEN_CHANGES = 5000


def main() -> None:
    """Measure every page of the largest application."""
    os.environ["PERFWEB_DATA"] = str(Path(sys.argv[1]))
    os.environ["PERFWEB_LOG_LEVEL"] = "ERROR"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    import django  # noqa: PLC0415 -- the settings read the folder's name

    django.setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from perfweb.accounts.models import User  # noqa: PLC0415
    from perfweb.launcher import servers  # noqa: PLC0415

    with servers.running(settings.EMBEDDED):
        importlib.import_module("perfweb.wsgi")  # A web server loads this before its first request.
        call_command("collectstatic", interactive=False, verbosity=0)
        fill_inbox()
        client = Client(headers={"host": "localhost"})
        client.force_login(User.objects.get(username="large"))
        for name, many in addresses().items():
            measure(client, name, many)


def addresses() -> dict[str, list[str]]:
    """Return the addresses of each kind of page.

    A kind has one address, which is requested repeatedly, or a different address for each request.
    """
    from ingest.models import Campaign, Kernel, Version  # noqa: PLC0415
    from modeling.models import Alert  # noqa: PLC0415

    campaign = Campaign.objects.latest("pk")
    kernel = Kernel.objects.get(path__endswith="kernel0007")
    after, before = Version.objects.order_by("-position")[:2]
    middle = Version.objects.order_by("position")[Version.objects.count() // 2]
    app = "/a/large/app/"
    table = f"/campaigns/{campaign.pk}/"
    far = "target=p:9999,n:20000"
    others = (
        Kernel.objects.filter(series__campaign=campaign)
        .order_by("pk")
        .values_list("pk", flat=True)[::70][: REPEATS + 1]
    )
    words = [f"{table}?q=kernel{number}" for number in range(10, 10 + REPEATS)]
    one = {
        "home": "/",
        "application": app,
        "application, another target": f"{app}?{far}",
        "history": f"{app}history/",
        "history, another target": f"{app}history/?{far}",
        "compare neighbours": f"{app}compare/?before={before.label}&after={after.label}",
        "compare at the change": f"{app}compare/?after={middle.label}",
        "campaign": table,
        "campaign, sorted and searched": f"{table}?sort=noise&q=kernel1",
        "campaign, another target": f"{table}?{far}",
        "kernel": f"{table}kernels/{kernel.pk}/",
        "kernel, another target": f"{table}kernels/{kernel.pk}/?{far}",
        "kernel, history": f"{table}kernels/{kernel.pk}/?tab=history",
        "kernel, data": f"{table}kernels/{kernel.pk}/?tab=data",
        "inbox": "/changes/",
        "inbox of an application": f"{app}changes/",
        "gate": f"/api/v1/applications/app/gate/?version={after.label}",
        "gate at the change": f"/api/v1/applications/app/gate/?version={middle.label}",
        "gate at the change, another target": f"/api/v1/applications/app/gate/?version={middle.label}&{far}",
        "change": f"{app}changes/{Alert.objects.exclude(comparison=None).latest('pk').pk}/",
        "forecasts": f"{app}forecasts/",
        "search": "/search/?q=kernel12",
        "uploads": "/projects/large/uploads/",
        "help": "/help/",
        "help, a chapter": "/help/formats/",
        "help, mathematics": "/help/mathematics/",
        "help, accuracy": "/help/accuracy/",
        "API applications": "/api/v1/applications/",
        "API application": "/api/v1/applications/app/",
        "API campaign": f"/api/v1/campaigns/{campaign.pk}/",
        "API models": f"/api/v1/campaigns/{campaign.pk}/models/",
        "API models, evidence": f"/api/v1/campaigns/{campaign.pk}/models/?evidence=true",
        "API history": f"/api/v1/kernels/{kernel.pk}/history/",
        "API comparison": f"/api/v1/comparisons/?application=app&before={before.label}&after={after.label}",
    }
    return {name: [address] for name, address in one.items()} | {
        "kernels, each another": [f"{table}kernels/{other}/" for other in others],
        "campaign, each another search": words,
    }


def fill_inbox() -> None:
    """Add open changes up to `OPEN_CHANGES`, the same number in each version."""
    from ingest.models import Campaign, Kernel  # noqa: PLC0415
    from modeling.models import Alert  # noqa: PLC0415
    from tests.factories import make_alert  # noqa: PLC0415

    campaigns = Campaign.objects.order_by("pk")
    of_each = OPEN_CHANGES // campaigns.count()
    for campaign in campaigns:
        there = set(Alert.objects.filter(version=campaign.version).values_list("kernel__path", flat=True))
        others = Kernel.objects.filter(series__campaign=campaign).exclude(path__in=there).order_by("pk")
        for path in others.values_list("path", flat=True)[: max(of_each - len(there), 0)]:
            make_alert(campaign, path)


def measure(client: object, name: str, many: list[str]) -> None:
    """Print the distribution of times, the number of queries, and the size of one page."""
    from django.db import connection  # noqa: PLC0415

    queries: list[str] = []

    def count(execute, sql, *rest):  # type: ignore[no-untyped-def]
        queries.append(sql)
        return execute(sql, *rest)

    times, used = [], []
    for _, address in zip(range(REPEATS), cycle(many), strict=False):
        queries.clear()
        with connection.execute_wrapper(count):
            begin, clock = time.perf_counter(), time.thread_time()
            answer = client.get(address)  # type: ignore[attr-defined]
            times.append(1000 * (time.perf_counter() - begin))
            used.append(1000 * (time.thread_time() - clock))
    median, late = np.percentile(times[1:], [50, 95])
    verdict = "" if late <= 100 and len(queries) <= 12 and answer.status_code == 200 else "   ← beyond a bar"
    print(
        f"{name:34} {answer.status_code}  first {times[0]:6.0f} ms  median {median:5.0f}  p95 {late:5.0f}  "
        f"processor {np.median(used[1:]):4.0f}  queries {len(queries):2}  "
        f"{len(answer.content) / 1024:6.0f} KiB{verdict}",
        flush=True,
    )


if __name__ == "__main__":
    main()
