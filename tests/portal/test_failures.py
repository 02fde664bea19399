"""Pages and REST answers about a campaign in which some kernels could not be modelled."""

import html
import re

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign, Kernel, Upload
from modeling.engine import fit
from modeling.models import Comparison, ModelRun, State
from modeling.services.changes import comparisons
from modeling.services.models import fitting
from modeling.tasks import comparison_execute, run_judge
from perfweb.accounts.models import Role, Scope, User
from tests.factories import make_member, make_project, make_token
from tests.modeling.stored import model, store

pytestmark = pytest.mark.django_db

LAWS = {
    "main": lambda p: 200.0 * p,
    "main->sweep": lambda p: 20.0 + p,
    "main->halo": lambda p: 3.0 * p,
    "main->flat": lambda p: 2.0,
}
REASON = "an unexpected ValueError (no law fits)"


@pytest.fixture(scope="module")
def two_versions(rows_of_module) -> None:
    """Make two versions. The kernel halo of the second one could not be modelled."""
    project = make_project("storm")
    make_member(project, Role.MAINTAINER)
    first = modelled(store(project, "1.0", LAWS))

    def fit_others(points, values, **options):
        if (np.abs(values[:, 0, 0] / 12 - 1) < 0.1).any():
            raise ValueError("no law fits")
        return fit(points, values, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "fit", fit_others)
        second = modelled(store(project, "1.1", LAWS))
    comparison_execute(Comparison.objects.get(before=first, after=second).pk)


@pytest.fixture
def user(two_versions) -> User:
    return User.objects.get()


@pytest.fixture
def reader(user, client: Client) -> Client:
    client.force_login(user)
    return client


@pytest.fixture
def campaign(two_versions) -> Campaign:
    return Campaign.objects.get(version__label="1.1")


def modelled(campaign: Campaign) -> Campaign:
    run_judge(model(campaign).pk)
    return campaign


def text(client: Client, address: str, **asked: str) -> str:
    answer = client.get(address, asked)
    assert answer.status_code == 200, address
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", content.decode())))


def reference(campaign: Campaign) -> str:
    return str(ModelRun.objects.get(campaign=campaign).failures[0]["reference"])


def test_the_campaign_page_says_what_failed_and_why(reader, campaign):
    page = text(reader, reverse("campaign", args=[campaign.pk]))
    assert f"1 kernel could not be modelled in time: {REASON}" in page
    assert reference(campaign) in page
    assert "Model again" in page
    assert "failed" in page


def test_the_upload_is_stored_and_its_page_says_what_failed(reader, campaign):
    page = text(reader, reverse("upload-detail", args=[campaign.uploads.get().pk]))
    assert f"1 kernel could not be modelled in time: {REASON}" in page
    assert "Modelled" in page


def test_the_kernel_page_says_why_there_is_no_law(reader, campaign):
    address = reverse("kernel", args=[campaign.pk, Kernel.objects.get(path="main->halo").pk])
    page = text(reader, address)
    assert f"This kernel could not be modelled. A{REASON[1:]}" in page
    assert reference(campaign) in page
    assert "could not be modelled" in text(reader, address, tab="modelers")


def test_all_pages_say_that_a_run_has_no_model(reader, campaign, monkeypatch, user):
    monkeypatch.setattr(fitting, "fit", lambda *_, **__: 1 / 0)
    other = modelled(store(campaign.version.application.project, "1.2", LAWS))
    assert ModelRun.objects.get(campaign=other).state == State.FAILED
    upload = other.uploads.get()
    assert "Stored, but not modelled" in text(reader, reverse("upload-detail", args=[upload.pk]))
    assert "ZeroDivisionError" in text(reader, reverse("campaign", args=[other.pk]))
    assert "ZeroDivisionError" in text(reader, reverse("home"))
    assert "ZeroDivisionError" in text(reader, reverse("application", args=["storm", "hydro"]))
    text(reader, reverse("compare", args=["storm", "hydro"]))


@pytest.mark.parametrize("target", ["", "p:512"])
def test_every_page_works_although_a_kernel_failed(reader, campaign, target):
    asked = {"target": target} if target else {}
    kernels = Kernel.objects.filter(path__in=["main->halo", "main->sweep"])
    names = ["storm", "hydro"]
    pages = [
        reverse("home"),
        reverse("search") + "?q=halo",
        *(reverse(name, args=names) for name in ("application", "history", "compare")),
        reverse("campaign", args=[campaign.pk]),
        reverse("campaign-tree", args=[campaign.pk]),
        *(reverse("campaign-export", args=[campaign.pk, kind]) for kind in ("csv", "json")),
        *(reverse("campaign-models", args=[campaign.pk, kind]) for kind in ("csv", "json", "tex", "py")),
        reverse("campaign-values", args=[campaign.pk, "csv"]),
    ]
    for page in pages:
        text(reader, page, **({} if "?" in page else asked))
    for sort in ("law", "-predicted", "share", "-stability", "heldout", "noise"):
        text(reader, reverse("campaign", args=[campaign.pk]), sort=sort, constants="show", **asked)
    for kernel in kernels:
        for tab in ("fit", "history", "modelers", "data"):
            text(reader, reverse("kernel", args=[campaign.pk, kernel.pk]), tab=tab, fit="now", **asked)
        text(reader, reverse("kernel-data", args=[campaign.pk, kernel.pk, "csv"]), **asked)


def test_the_rest_interface_lists_failures(campaign, user):
    _, token = make_token(user, campaign.version.application.project, Scope.READ, Scope.UPLOAD)
    api = Client(headers={"Authorization": f"Bearer {token}"})
    upload = api.get(reverse("api:upload", args=[Upload.objects.get(campaign=campaign).pk])).json()
    assert (upload["state"], upload["error"]) == ("done", None)
    [failure] = upload["failures"]
    assert (failure["metric"], failure["kernels"], failure["reason"]) == ("time", 1, REASON)
    assert failure["reference"] == reference(campaign)
    for asked in ({}, {"evidence": "true"}, {"target": "p:512"}):
        body = api.get(reverse("api:models", args=[campaign.pk]), asked).json()
        assert body["run"]["failures"] == [failure]
        laws = {model["kernel"]["path"]: model["law"] for model in body["models"]}
        assert laws["main->halo"]["status"] == "failed"
        assert REASON[2:] in laws["main->halo"]["reason"]
        assert laws["main->sweep"]["status"] == "ok"
    kernel = Kernel.objects.get(path="main->halo")
    assert api.get(reverse("api:history", args=[kernel.pk])).status_code == 200


def test_a_metric_that_could_not_be_compared_is_not_called_unchanged(reader, campaign, monkeypatch):
    monkeypatch.setattr(comparisons, "_compare_metric", lambda *_: 1 / 0)
    comparison = Comparison.objects.get()
    comparisons.comparisons_renew(campaign)
    comparison_execute(comparison.pk)
    Comparison.objects.update(state=State.DONE)
    page = text(reader, reverse("compare", args=["storm", "hydro"]))
    assert "could not be compared in time: an unexpected ZeroDivisionError" in page
    assert "? not identifiable 4" in page
    assert "unchanged" not in page
    assert "beyond noise" not in page
