"""Measure the server time, database queries and size of pages, REST reads and steps in the inbox.

    python -m tests.benchmarks.portal.page_times DIR [WORD ...]

First fill DIR with `tests.benchmarks.portal.large_database`. This program adds open changes until the inbox
has 5,000 of them, and a report. With words, only pages whose name contains one of them are measured.
Limits for each page: 95 % of the requests take at most 100 ms, with at most 12 queries. A comparison of all
kernels may take 300 ms. The time that counts is the processor time of the web server and of its database
process together. Unlike the wall-clock time, it does not depend on what else the machine does. Answers are
compressed, as they are for browsers. "Cold" is the time and the number of queries of requests that find no
rows of runs in the memory of the web process, such as the first request after a start or for a version.
"""

import gzip
import importlib
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

REPEATS = 25
COLD = 5
OPEN_CHANGES = 5000
BAR = 100  # ms
LONGER_BARS = {"compare": 300, "mail": 1000, "step": 3000}
"""Bars of the pages whose names begin with a word."""


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
        client = Client(headers={"host": "localhost", "accept-encoding": "gzip"})
        client.force_login(User.objects.get(username="large"))
        reads: dict[str, list[Callable[[], Any]]] = {
            name: [partial(client.get, address) for address in many]
            for name, many in (addresses() | release_addresses()).items()
        }
        for name, many in (reads | steps(client)).items():
            if not sys.argv[2:] or any(word in name for word in sys.argv[2:]):
                measure(name, many)


def addresses() -> dict[str, list[str]]:
    """Return the addresses of each kind of page.

    A kind has one address, which is requested repeatedly, or a different address for each request.
    """
    from ingest.models import Campaign, Kernel, Version  # noqa: PLC0415

    campaign = Campaign.objects.filter(version__application__slug="app").latest("pk")
    narrow = Campaign.objects.filter(version__application__slug="narrow").latest("pk")
    kernel = Kernel.objects.get(application__slug="app", path__endswith="kernel0007")
    straight = Kernel.objects.get(application__slug="narrow", path__endswith="kernel0007")
    after, before = Version.objects.filter(application__slug="app").order_by("-position")[:2]
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
        "campaign": table,
        "campaign, sorted and searched": f"{table}?sort=noise&q=kernel1",
        "campaign, another target": f"{table}?{far}",
        "kernel": f"{table}kernels/{kernel.pk}/",
        "kernel, another target": f"{table}kernels/{kernel.pk}/?{far}",
        "kernel, history": f"{table}kernels/{kernel.pk}/?tab=history",
        "kernel, data": f"{table}kernels/{kernel.pk}/?tab=data",
        "kernel, modelers": f"{table}kernels/{kernel.pk}/?tab=modelers",
        "kernel, one parameter": f"/campaigns/{narrow.pk}/kernels/{straight.pk}/",
        "kernel, one parameter, history": f"/campaigns/{narrow.pk}/kernels/{straight.pk}/?tab=history",
        "planner": f"{app}planner/",
        "planner, another target": f"{app}planner/?{far}",
        "planner, one parameter": "/a/large/narrow/planner/",
        "first plan": "/plan/",
        "search": "/search/?q=kernel12",
        "project": "/projects/large/",
        "tokens": "/projects/large/tokens/",
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
        "API models, another target": f"/api/v1/campaigns/{campaign.pk}/models/?{far}",
        "API plan": "/api/v1/applications/app/plan/",
        "API history": f"/api/v1/kernels/{kernel.pk}/history/",
        "API comparison": f"/api/v1/comparisons/?application=app&before={before.label}&after={after.label}",
    }
    return {name: [address] for name, address in one.items()} | {
        "kernels, each another": [f"{table}kernels/{other}/" for other in others],
        "campaign, each another search": words,
    }


def release_addresses() -> dict[str, list[str]]:
    """Return the addresses of everything that shows changes between versions."""
    from ingest.models import Campaign, Version  # noqa: PLC0415
    from modeling.models import Alert, Report  # noqa: PLC0415
    from perfweb.accounts.models import User  # noqa: PLC0415
    from perfweb.notices.services.subscriptions import feed_token  # noqa: PLC0415
    from tests.factories import make_report  # noqa: PLC0415

    versions = list(Version.objects.filter(application__slug="app").order_by("position"))
    # In the last two versions half of the kernels changed, and in the one in the middle a single kernel.
    after, before, quiet, middle = (
        versions[-1],
        versions[-2],
        versions[-3],
        versions[(len(versions) - 2) // 2],
    )
    campaigns = Campaign.objects.filter(version__application__slug="app")
    report = Report.objects.first() or make_report(campaigns.latest("pk"))
    change = Alert.objects.exclude(comparison=None).latest("pk")
    app, api, far = "/a/large/app/", "/api/v1/applications/app/", "target=p:9999,n:20000"
    pair = f"before={before.label}&after={after.label}"
    distant = f"before={versions[0].label}&after={after.label}"
    one = {
        "history": f"{app}history/",
        "history, another target": f"{app}history/?{far}",
        "history, all kernels": f"{app}history/?kernels=all",
        "history, sorted by path, page 2": f"{app}history/?kernels=all&sort=path&skip=100",
        "history, search": f"{app}history/?kernels=all&q=kernel1",
        "history, all kernels, target": f"{app}history/?kernels=all&{far}",
        "history, older versions": f"{app}history/?until={middle.label}",
        "compare neighbours": f"{app}compare/?{pair}",
        "compare neighbours, target": f"{app}compare/?{pair}&{far}",
        "compare, few changes": f"{app}compare/?after={quiet.label}",
        "compare at the change": f"{app}compare/?after={middle.label}",
        "compare, never compared": f"{app}compare/?{distant}",
        "inbox": "/changes/",
        "inbox of an application": f"{app}changes/",
        "inbox, last page": f"{app}changes/?skip=4900",
        "inbox, all states": f"{app}changes/?state=all",
        "inbox, one version": f"{app}changes/?version={after.label}",
        "inbox, kernel": f"{app}changes/?kernel=kernel1",
        "inbox, mine": f"{app}changes/?assignee=me",
        "inbox, improvements": f"{app}changes/?kind=improvements",
        "silences": f"{app}changes/silences/",
        "change": f"{app}changes/{change.pk}/",
        "gate": f"{api}gate/?version={after.label}",
        "gate, text": f"{api}gate/?version={after.label}&format=text",
        "gate, another target": f"{api}gate/?version={after.label}&{far}",
        "gate, few changes": f"{api}gate/?version={quiet.label}",
        "gate at the change": f"{api}gate/?version={middle.label}",
        "gate at the change, another target": f"{api}gate/?version={middle.label}&{far}",
        "badge": f"{app}badge.svg",
        "forecasts": f"{app}forecasts/",
        "reports": f"{app}reports/",
        "report, new": f"{app}reports/new/",
        "report": f"{app}reports/{report.pk}/",
        "report, since": f"{app}reports/{report.pk}/since/",
        "settings with expectations": f"{app}settings/",
        "feed": f"/changes/feed/{feed_token(User.objects.get(username='large'))}/",
        "notices": "/projects/large/notices/",
        "API alerts": f"{api}alerts/",
        "API reports": f"{api}reports/",
        "API report": f"/api/v1/reports/{report.pk}/",
        "API comparison": f"/api/v1/comparisons/?application=app&{pair}",
    }
    return {name: [address] for name, address in one.items()}


def steps(client: Any) -> dict[str, list[Callable[[], Any]]]:
    """Return requests that set the state of all changes that match a filter, and undo it; and a daily mail.

    Each request of the list is sent in turn, so the inbox ends as it began.
    """
    from django.http import HttpResponse  # noqa: PLC0415

    from ingest.models import Application  # noqa: PLC0415
    from modeling.models import Alert, AlertEvent  # noqa: PLC0415
    from perfweb.accounts.models import User  # noqa: PLC0415
    from perfweb.notices.models import Delivery, Notice, Subscription  # noqa: PLC0415
    from perfweb.notices.services.deliveries import to_report  # noqa: PLC0415
    from perfweb.notices.services.mails import mail  # noqa: PLC0415

    def set_all(asked: str) -> Any:
        form = {"every": "1", "asked": asked, "state": "acknowledged", "back": "/changes/"}
        return client.post("/changes/triage/", form)

    def undo() -> Any:
        batch = AlertEvent.objects.filter(action="triaged", undone=False).latest("pk").batch
        return client.post("/changes/undo/", {"batch": batch, "back": "/changes/"})

    def tell() -> HttpResponse:
        reported = [(Delivery(pk=1, notice=notice), to_report(notice, improvements=False))]
        return HttpResponse(mail(subscription, reported).body)

    newest = Alert.objects.filter(application__slug="app").latest("version__position").version.label
    application = Application.objects.select_related("project").get(slug="app")
    user = User.objects.get(username="large")
    subscription = Subscription(project=application.project, user=user, address="large@example.org")
    notice = Notice.objects.first() or Notice.objects.create(application=application, kind=Notice.Kind.OPENED)
    notice.alerts.set(Alert.objects.filter(version__label=newest))
    return {
        "mail of 2,000 changes": [tell],
        "step, 2,000 changes set and undone": [partial(set_all, f"version={newest}"), undo],
        "step, all changes set and undone": [partial(set_all, ""), undo],
    }


def fill_inbox() -> None:
    """Add open changes up to `OPEN_CHANGES`, the same number in each version."""
    from ingest.models import Campaign, Kernel  # noqa: PLC0415
    from modeling.models import Alert  # noqa: PLC0415
    from tests.factories import make_alert  # noqa: PLC0415

    campaigns = Campaign.objects.filter(version__application__slug="app").order_by("pk")
    of_each = OPEN_CHANGES // campaigns.count()
    for campaign in campaigns:
        there = set(Alert.objects.filter(version=campaign.version).values_list("kernel__path", flat=True))
        others = Kernel.objects.filter(series__campaign=campaign).exclude(path__in=there).order_by("pk")
        for path in others.values_list("path", flat=True)[: max(of_each - len(there), 0)]:
            make_alert(campaign, path)


def measure(name: str, many: list[Callable[[], Any]]) -> None:
    """Print the distribution of times, the number of queries, and the size of one page."""
    from django.db import connection  # noqa: PLC0415

    from modeling.selectors.run import rows  # noqa: PLC0415

    queries: list[str] = []

    def count(execute, sql, *rest):  # type: ignore[no-untyped-def]
        queries.append(sql)
        return execute(sql, *rest)

    times, used, counts = [], [], []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    for number, request in zip(range(REPEATS + COLD), cycle(many), strict=False):
        queries.clear()
        if number >= REPEATS:
            rows._runs.clear()
        with connection.execute_wrapper(count):
            begin, clock, database = time.perf_counter(), time.thread_time(), processor(backend)
            answer = request()
            times.append(1000 * (time.perf_counter() - begin))
            used.append((1000 * (time.thread_time() - clock), 1000 * (processor(backend) - database)))
        counts.append(len(queries))
    warm, cold = used[1:REPEATS], np.median(np.sum(used[REPEATS:], axis=1))
    python, database = np.median(warm, axis=0)
    late = np.percentile(np.sum(warm, axis=1), 95)
    bar = next((longer for word, longer in LONGER_BARS.items() if name.startswith(word)), BAR)
    within = late <= bar and max(counts[1:REPEATS]) <= 12 and answer.status_code < 400
    verdict = "" if within else "   ← beyond a bar"
    packed = answer.headers.get("Content-Encoding") == "gzip"
    whole = len(gzip.decompress(answer.content)) if packed else len(answer.content)
    print(
        f"{name:34} {answer.status_code}  first {times[0]:6.0f} ms  "
        f"median {np.median(times[1:REPEATS]):5.0f}  "
        f"processor {python:4.0f} + database {database:4.0f}  p95 {late:4.0f}, "
        f"queries {max(counts[1:REPEATS]):2}  cold {cold:4.0f}, {max(counts[REPEATS:]):2}  "
        f"{whole / 1024:6.0f} KiB, sent {len(answer.content) / 1024:5.0f}{verdict}",
        flush=True,
    )


def processor(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    nanoseconds, *_ = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(nanoseconds) / 1e9


if __name__ == "__main__":
    main()
