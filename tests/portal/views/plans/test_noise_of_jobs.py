"""Plans for campaigns whose file says in which job each run was made."""

import json
import re

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from ingest.models import Kernel, Upload
from ingest.services import upload_ingest, upload_receive
from modeling.models import ModelRun
from modeling.tasks import run_execute
from perfweb.accounts.models import Role
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/planner/"


def measured_in_jobs(project, deviations, *, told=True):
    """Upload runs of a version in jobs that each make four runs at every point.

    Jobs and repetitions differ by these standard deviations. If `told`, the file names the job of each line.
    """
    random = np.random.default_rng(5)
    lines = []
    for job, of_job in enumerate((-1.2, 0.9, -0.6, 1.3, -0.9, 0.5)):
        factor = np.exp(of_job * deviations["job"])
        for p in (4, 8, 16, 32, 64):
            noise = np.exp(random.normal(0, deviations["repetition"], 4))
            value = ((1 + 0.1 * p) * factor * noise).tolist()
            origin = {"job": f"j{job}"} if told else {}
            lines.append(json.dumps({"params": {"p": p}, "value": value, **origin}))
    file = ContentFile("\n".join(lines).encode(), name="jobs.jsonl")
    upload = upload_receive(project=project, application="hydro", version="1.0", file=file, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    run_execute(ModelRun.objects.get(campaign__uploads=upload).pk)


@pytest.mark.parametrize(("job", "repetition", "apart"), [(0.06, 0.01, True), (0.0, 0.05, False)])
def test_if_jobs_differ_repetitions_are_separate_jobs(
    client, job, repetition, apart, django_assert_max_num_queries
):
    project = make_project("storm")
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    measured_in_jobs(project, {"job": job, "repetition": repetition})
    asked = {"target": "p:4096", "within": "0.2"}
    client.get(URL, asked)
    with django_assert_max_num_queries(12):
        answer = client.get(URL, asked)
    page, plan = answer.content.decode(), answer.context["plan"]
    found = {source.kind: source.deviation for source in plan.noise}
    assert found["repetition"] == pytest.approx(repetition, rel=0.3)
    assert found["job"] == pytest.approx(job, rel=0.5, abs=0.02)
    assert plan.separate_jobs == apart
    assert ("measure every repetition in another job" in page) == apart
    assert ("differences between jobs alone would leave" in page) == apart
    assert ("further repetitions in the same jobs do not narrow it" in page) == apart
    assert "Where the noise comes from" in page
    assert "6 jobs compared" in page
    assert "from job to job" in page


@pytest.mark.parametrize("told", [True, False])
def test_the_kernel_page_names_the_sources_of_its_noise(client, told):
    project = make_project("storm")
    client.force_login(make_member(project))
    measured_in_jobs(project, {"job": 0.06, "repetition": 0.01}, told=told)
    run, kernel = ModelRun.objects.get(), Kernel.objects.get()
    noise = client.get(reverse("kernel", args=[run.campaign_id, kernel.pk])).context["noise"]
    found = re.fullmatch(
        r"Runs at the same point differ by ([\d.]+) % from job to job and by ([\d.]+) % from repetition to "
        r"repetition\.",
        noise.sources,
    )
    assert bool(found) == told
    if found:
        assert float(found[1]) == pytest.approx(6, rel=0.4)
        assert float(found[2]) == pytest.approx(1, rel=0.3)


def test_one_job_with_unequal_repetitions_shows_no_differences_between_jobs(client):
    project = make_project("storm")
    client.force_login(make_member(project))
    rows = [
        {"params": {"p": p}, "value": [0.1 * p] * (2 + at), "job": "j1"}
        for at, p in enumerate((4, 8, 16, 32, 64))
    ]
    file = ContentFile("\n".join(map(json.dumps, rows)).encode(), name="one.jsonl")
    upload = upload_receive(project=project, application="hydro", version="1.0", file=file, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    run_execute(ModelRun.objects.get(campaign__uploads=upload).pk)
    answer = client.get(URL)
    plan = answer.context["plan"]
    assert plan.noise == ()
    assert plan.separate_jobs  # jobs may differ
    assert "Where the noise comes from" not in answer.content.decode()


@pytest.mark.parametrize("told", [True, False])
def test_noise_that_jobs_share_makes_the_target_less_known(client, told):
    project = make_project("storm")
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    measured_in_jobs(project, {"job": 0.025, "repetition": 0.001}, told=told)
    page = client.get(URL, {"target": "p:64"}).content.decode()
    assert ("Already known well enough" in page) != told
