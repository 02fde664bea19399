"""Models of a campaign follow what its functions are known to depend on."""

import json

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign, Upload
from ingest.services import dependencies_remove, dependencies_write, upload_ingest, upload_receive
from modeling.engine import PROFILE_CONTRADICTED, PROFILE_FOLLOWED, PROFILE_PRODUCT
from modeling.models import ModelRun, State
from modeling.services.models import runs, stability
from modeling.tasks import run_execute
from perfweb.accounts.models import Role
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db

LAWS = {
    "main->sweep": lambda p, n: 3 + 2 * p,
    "main->solve": lambda p, n: 1 + n,
    "main->shared": lambda p, n: 1 + 0.02 * n**2,
    "main->unknown": lambda p, n: 5 + n,
    "main->times": lambda p, n: 2 + 0.1 * p * n,
}
DEPENDS = {"sweep": [["p"]], "solve": [["n"]], "shared": [["p"]], "times": [["p"], ["n"]]}
DIAGONAL = [(4.0 * 2**step, 10.0 * 2**step) for step in range(5)]
CORNERS = [(4.0, 160.0), (64.0, 10.0)]


@pytest.fixture
def campaign() -> Campaign:
    """Parameters that vary at the same time, as in a design that was deduced from a profile."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "params": {"p": p, "n": n},
            "callpath": path,
            "metric": "time",
            "value": (law(p, n) * rng.normal(1, 0.01, 3)).tolist(),
        }
        for path, law in LAWS.items()
        for p, n in DIAGONAL + CORNERS
    ]
    content = ContentFile("\n".join(map(json.dumps, rows)).encode(), name="1.0.jsonl")
    upload = upload_receive(
        project=make_project(), application="hydro", version="1.0", file=content, user=None
    )
    upload_ingest(Upload.objects.get(pk=upload.pk))
    return Campaign.objects.get(uploads=upload)


def profiled(campaign: Campaign) -> ModelRun:
    """Model the campaign, store a profile, which models it again, and return its run."""
    run = campaign.runs.get()
    run_execute(run.pk)
    application = campaign.version.application
    user = make_member(application.project, Role.MAINTAINER)
    dependencies_write(application=application, parameters=["p", "n"], functions=DEPENDS, user=user)
    run.refresh_from_db()
    assert run.state == State.QUEUED
    run_execute(run.pk)
    return ModelRun.objects.get(pk=run.pk)


def test_it_works(campaign: Campaign, client: Client) -> None:
    run = profiled(campaign)
    assert run.profiled_at == campaign.version.application.dependencies.stored_at
    methods = dict(run.models.values_list("kernel__path", "method"))
    assert methods == {
        "main->sweep": PROFILE_FOLLOWED,
        "main->solve": PROFILE_FOLLOWED,
        "main->shared": PROFILE_CONTRADICTED,
        "main->unknown": "",
        "main->times": PROFILE_PRODUCT,
    }
    laws = dict(run.models.values_list("kernel__path", "expression"))
    assert "n" not in laws["main->sweep"]
    assert "p" not in laws["main->solve"]
    user = make_member(campaign.version.application.project)
    client.force_login(user)
    kernels = {kernel.path: kernel.pk for kernel in campaign.version.application.kernels.all()}

    def page(path: str) -> str:
        return client.get(reverse("kernel", args=[campaign.pk, kernels[path]])).content.decode()

    assert "As stored by hand: depends on p; not on n. The law uses no other parameter." in page(
        "main->sweep"
    )
    assert "not on n. The measurements show another parameter, so the law is sought" in page("main->shared")
    assert "The law uses" not in page("main->unknown")
    overview = client.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "dependencies of functions</a>" in overview
    assert "Model again" not in overview


def test_laws_that_follow_a_profile_can_be_judged(campaign: Campaign) -> None:
    run = profiled(campaign)
    while stability.run_judge(run):
        run.refresh_from_db()
    judged = dict(run.models.values_list("kernel__path", "stability"))
    assert judged["main->sweep"] == pytest.approx(1.0)


def test_a_removed_profile_is_not_used(campaign: Campaign, client: Client) -> None:
    run = profiled(campaign)
    application = campaign.version.application
    maintainer = make_member(application.project, Role.MAINTAINER)
    dependencies_remove(application=application, user=maintainer)
    run.refresh_from_db()
    assert run.state == State.QUEUED
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.profiled_at is None
    assert set(run.models.values_list("method", flat=True)) == {""}
    assert not runs.run_again(run=run, user=maintainer)


def test_older_versions_are_modelled_again_on_request(campaign: Campaign, client: Client) -> None:
    run = profiled(campaign)
    ModelRun.objects.filter(pk=run.pk).update(profiled_at=None)
    maintainer = make_member(campaign.version.application.project, Role.MAINTAINER)
    client.force_login(maintainer)
    assert (
        "were stored after these models"
        in client.get(reverse("campaign", args=[campaign.pk])).content.decode()
    )
    client.post(reverse("campaign-model", args=[campaign.pk]))
    run.refresh_from_db()
    assert run.state == State.QUEUED
