"""Pages, files and answers about campaigns whose parameters were always varied together."""

import json

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from ingest.models import Campaign, Upload
from ingest.services import upload_ingest, upload_receive
from modeling.models import Model, ModelRun
from modeling.selectors.run.snapshot_loading import snapshot_load
from modeling.storage import arrays
from modeling.tasks import run_execute
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db

NBSP = "\N{NO-BREAK SPACE}"
LINE = [{"nodes": nodes, "ranks": 8 * nodes} for nodes in (1, 2, 4, 8, 16, 32)]
GRID = [{"nodes": nodes, "ranks": nodes * tasks} for nodes in (1, 2, 4, 8, 16, 32) for tasks in (2, 4, 8)]


def measured(project, version, points, *, only_line=False) -> Campaign:
    """Store and model a campaign of two kernels, of which one may have been measured only on the line."""
    random = np.random.default_rng(1)
    rows = [
        {
            "params": point,
            "callpath": kernel,
            "metric": "time",
            "value": ((3 + 0.05 * point["ranks"]) * random.uniform(0.99, 1.01, 3)).tolist(),
        }
        for kernel in ("main", "main->io")
        for point in points
        if kernel == "main" or not only_line or point["ranks"] == 8 * point["nodes"]
    ]
    content = ContentFile("\n".join(map(json.dumps, rows)).encode(), name=f"{version}.jsonl")
    upload = upload_receive(project=project, application="hydro", version=version, file=content, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    campaign = Campaign.objects.get(uploads=upload)
    run_execute(campaign.runs.get().pk)
    return campaign


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def member(client, project):
    client.force_login(make_member(project))
    return client


def kernel_page(member, campaign, path, **asked):
    kernel = campaign.version.application.kernels.get(path=path)
    answer = member.get(reverse("kernel", args=[campaign.pk, kernel.pk]), asked)
    return answer.context, answer.content.decode().replace(NBSP, " ")


def test_it_works(member, project):
    campaign = measured(project, "1.0", LINE)
    page = member.get(reverse("campaign", args=[campaign.pk])).content.decode().replace(NBSP, " ")
    note = "nodes and ranks were always varied together (ranks = 8 · nodes); laws are written in ranks."
    assert note in page
    context, text = kernel_page(member, campaign, "main")
    assert note in text
    assert "ranks" in context["found"].model.expression
    assert "nodes" not in context["found"].model.expression
    assert context["found"].model.status == "ok"
    assert context["grade"] == "usable"
    assert "nodes = 512, which follows" in text
    assert 'name="at-nodes"' not in text


def test_one_slider_moves_all_parameters_that_were_varied_together(member, project):
    campaign = measured(project, "1.0", LINE)
    kernel = campaign.version.application.kernels.get(path="main")
    answer = member.get(reverse("kernel", args=[campaign.pk, kernel.pk]), {"at-ranks": "1024"})
    assert answer["Location"].endswith("?target=nodes%3A128%2Cranks%3A1024")


def test_a_target_off_the_relation_cannot_be_told(member, project):
    campaign = measured(project, "1.0", LINE)
    context, text = kernel_page(member, campaign, "main", target="nodes:512,ranks:512")
    assert context["grade"] == "cannot be told"
    assert context["prediction"].lower is None
    assert "The target breaks this relation" in text
    assert "nodes = 512, off the relation" in text


def test_a_kernel_may_have_been_measured_only_on_a_line(member, project):
    campaign = measured(project, "1.0", GRID, only_line=True)
    _, text = kernel_page(member, campaign, "main->io")
    assert "nodes and ranks were always varied together" in text
    _, text = kernel_page(member, campaign, "main")
    assert "always varied together" not in text


def test_versions_are_compared_if_only_one_of_them_varied_parameters_together(member, project):
    before, after = measured(project, "1.0", LINE), measured(project, "2.0", GRID)
    metric = after.version.application.metrics.get()
    for campaign in (before, after):
        found = snapshot_load(ModelRun.objects.get(campaign=campaign), metric)
        assert found.predicted == pytest.approx([207.8] * 2, rel=0.03)
        assert np.isfinite(found.upper).all()
    context, _ = kernel_page(member, after, "main", tab="history")
    assert len(context["steps"]) == 2


def test_rows_of_older_engines_know_nothing_off_the_relation_either(project):
    campaign = measured(project, "1.0", LINE)
    Model.objects.update(region=None)
    models = arrays.models_load(list(Model.objects.all()), campaign)
    _, lower, upper = models.estimates([[512.0, 4096.0], [512.0, 512.0]])
    assert np.isfinite(lower[:, 0]).all()
    assert np.isnan(upper[:, 1]).all()


def test_stored_models_remember_where_each_kernel_was_measured(project):
    campaign = measured(project, "1.0", GRID, only_line=True)
    rows = list(Model.objects.order_by("kernel__path"))
    assert rows[0].region == {}
    models = arrays.models_load(rows, campaign)
    assert models.measured.lower.tolist() == [[1, 2], [1, 8]]
    assert models.unknown([[512.0, 4096.0], [512.0, 512.0]]).tolist() == [[False, False], [False, True]]


def test_programs_and_files_get_the_relation(member, project):
    campaign = measured(project, "1.0", LINE)
    models = member.get(reverse("api:models", args=[campaign.pk])).json()["models"]
    assert models[0]["region"] == {
        "lower": {"nodes": 1.0, "ranks": 8.0},
        "upper": {"nodes": 32.0, "ranks": 256.0},
        "varied_together": [
            {"parameters": ["nodes", "ranks"], "free": ["ranks"], "relations": ["ranks = 8 · nodes"]}
        ],
    }
    rows = json.loads(b"".join(member.get(reverse("campaign-models", args=[campaign.pk, "json"]))))
    assert rows["models"][0]["varied together"] == "ranks = 8 · nodes"


def test_plans_keep_the_relation_and_say_how_to_separate_the_parameters(member, project):
    campaign = measured(project, "1.0", LINE)
    application = campaign.version.application
    answer = member.get(reverse("planner", args=[project.slug, application.slug]), {"within": "0.1"})
    assert "would begin to separate their effects" in answer.content.decode().replace(NBSP, " ")
    points = answer.context["proposal"].plan.points
    assert len(points)
    assert (points[:, 1] == 8 * points[:, 0]).all()
