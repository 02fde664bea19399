"""Campaigns of one point have no law, but they are compared."""

import re

import pytest
from django.urls import reverse

from ingest.models import Campaign
from ingest.tasks import upload_ingest
from modeling.models import Comparison, ModelRun
from modeling.tasks import comparison_execute, run_execute
from perfweb.accounts.models import Role, User
from tests.factories import make_member, make_project
from tests.ingest.sent import send
from tests.portal.stories import text

TABS = ("fit", "history", "modelers", "data")


@pytest.fixture(scope="module")
def two_versions(rows_of_module):
    """Make two versions of a benchmark without parameters. One of its twelve kernels became slower."""
    project = make_project()
    make_member(project, Role.MAINTAINER)
    for version, slower in (("1.0", 1.0), ("1.1", 2.0)):
        rows = [f"kernel_{at},{(at + 1) * jitter * (slower if at == 3 else 1)}"
                for at in range(12) for jitter in (0.99, 1.0, 1.01)]  # fmt: skip
        upload = send(project, "\n".join(["kernel,time [s]", *rows]), version)
        upload_ingest(upload.pk)
        upload.refresh_from_db()
        assert upload.error is None
    for run in ModelRun.objects.order_by("pk"):
        run_execute(run.pk)
    for comparison in Comparison.objects.all():
        comparison_execute(comparison.pk)


@pytest.fixture
def campaigns(client, db, two_versions):
    client.force_login(User.objects.get())
    return list(Campaign.objects.order_by("pk"))


def test_pages_show_no_law(client, campaigns):
    page = client.get(reverse("campaign", args=[campaigns[1].pk])).content.decode()
    assert page.count("one point, no law yet") == 12
    assert "? not identifiable" not in page
    assert "1 value of configuration, none missing" in page
    assert "the curve shows" not in page
    kernel = campaigns[1].series.get(kernel__path="kernel_3").kernel_id
    page = client.get(reverse("kernel", args=[campaigns[1].pk, kernel])).content.decode()
    assert "A law needs at least five values of a parameter" in page
    assert "Not identifiable" not in page
    assert "Rival laws" not in page
    assert "How it grows" not in page
    assert "LaTeX" not in page


def test_versions_are_compared(client, campaigns):
    page = client.get(reverse("compare", args=[campaigns[0].version.application.project.slug, "hydro"]))
    changed = {row.path: row.verdict.value for row in page.context["rows"]}
    assert changed == {"kernel_3": "slower"}
    change = Comparison.objects.get().changes.get()
    assert 1.8 < change.ratio_lower < 2 < change.ratio_upper < 2.2


def test_every_page_works_with_a_single_point(client, campaigns):
    application = campaigns[0].version.application
    place = f"/a/{application.project.slug}/hydro/"
    kernel = campaigns[1].series.get(kernel__path="kernel_3").kernel_id
    tabs = [f"/campaigns/{campaigns[1].pk}/kernels/{kernel}/?tab={tab}" for tab in TABS]
    pages = ["/", place, f"{place}history/", f"{place}settings/", "/search/?q=kernel_3", *tabs]
    for page in [*pages, f"{place}?target=configuration:4", f"{tabs[0]}&target=configuration:4"]:
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert re.search(r"\b(nan|inf|None)\b", text(answer)) is None, page
