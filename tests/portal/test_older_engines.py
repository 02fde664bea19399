"""Models stored by an engine before 2.7, which did not model deviations, are still shown on all pages."""

from dataclasses import replace

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign
from modeling.engine import ENGINE_VERSION
from modeling.engine.deviations.deviation import NO_PROCESS
from modeling.models import Change, Comparison, ModelRun, State
from modeling.services.models import runs
from modeling.storage.posteriors import pack, unpack
from modeling.tasks import comparison_execute, run_execute
from tests.factories import make_member, make_project
from tests.modeling.stored import modelled
from tests.portal.stories import text

pytestmark = pytest.mark.django_db

PROCESSES = tuple(4 * 2**step for step in range(8))
BENDS = dict(zip(PROCESSES, (1, 1.3, 0.9, 1, 1.5, 1.2, 0.8, 1), strict=True))
LAWS = {"main->wander": lambda p: 3 * p * BENDS[p], "main->plain": lambda p: 2 + p}
FAR, NEAR = "p:4096", "p:600"


def aged(campaign: Campaign) -> Campaign:
    """Store the posteriors as engine 2.6 did: only draws of laws, without deviations.

    `pack` still writes such posteriors as the same bytes as engine 2.6.
    """
    run = ModelRun.objects.get(campaign=campaign)
    run.engine_version = "2.6"
    run.save()
    for model in run.models.all():
        posterior = unpack([model.posterior])
        model.posterior = pack(replace(posterior, deviation=None))[0]
        value = np.median(posterior.laws(np.array([[4096.0]])))
        model.predicted, model.lower, model.upper = value, 0.9 * value, 1.1 * value
        model.save()
    return campaign


@pytest.fixture(scope="module")
def aged_once(rows_of_module: None) -> int:
    return aged(modelled(make_project(), "1.0", LAWS, PROCESSES)).pk


@pytest.fixture
def older(aged_once: int) -> Campaign:
    return Campaign.objects.get(pk=aged_once)


@pytest.fixture
def member(client: Client, older: Campaign) -> Client:
    client.force_login(make_member(older.version.application.project))
    return client


def drawn(campaign: Campaign, path: str, at: float) -> np.ndarray:
    row = ModelRun.objects.get(campaign=campaign).models.get(kernel__path=path)
    return unpack([row.posterior]).values(np.array([[at]])).ravel()


def test_the_stored_kernels_deviate_from_their_laws() -> None:
    models = ModelRun.objects.get(campaign=modelled(make_project(), "1.0", LAWS, PROCESSES)).models
    wander = unpack([models.get(kernel__path="main->wander").posterior])
    assert (wander.deviation.process != NO_PROCESS).mean() > 0.9


@pytest.mark.parametrize("path", LAWS)
@pytest.mark.parametrize(("target", "at"), [(FAR, 4096.0), (NEAR, 600.0)])
def test_the_kernel_s_page_predicts_by_the_laws_alone(member, older, path, target, at) -> None:
    kernel = older.version.application.kernels.get(path=path)
    answer = member.get(reverse("kernel", args=[older.pk, kernel.pk]), {"target": target})
    text, draws = answer.content.decode(), drawn(older, path, at)
    assert draws.min() <= answer.context["prediction"].predicted <= draws.max()
    assert "Made by engine 2.6; the current engine is " in text
    assert "the measured point nearest to the target" not in text
    assert answer.context["grade"]


@pytest.mark.parametrize(
    ("tab", "shown"),
    [
        ("fit", "Made by engine 2.6"),
        ("data", "Every point and every run"),
        ("modelers", "Every modeler's law"),
        ("history", "Law by version, newest first"),
    ],
)
def test_all_tabs_work(member, older, tab: str, shown: str) -> None:
    kernel = older.version.application.kernels.get(path="main->wander")
    page = member.get(reverse("kernel", args=[older.pk, kernel.pk]), {"tab": tab, "fit": "now"})
    assert shown in text(page)


@pytest.mark.parametrize("target", ["", FAR, NEAR])
def test_the_table_and_its_files_work(member, older, target: str) -> None:
    asked = {"target": target, "constants": "show"}
    page = member.get(reverse("campaign", args=[older.pk]), asked)
    assert {row.model.path for row in page.context["shown"]} == set(LAWS)
    rows = member.get(reverse("campaign-export", args=[older.pk, "json"]), asked).json()
    assert all(row["trust"] and row["predicted [s]"] > 0 for row in rows)
    [_, *lines] = b"".join(member.get(reverse("campaign-models", args=[older.pk, "csv"]))).splitlines()
    assert len(lines) == len(LAWS)


def test_the_rest_interface_answers_with_all_evidence(member, older) -> None:
    answer = member.get(f"/api/v1/campaigns/{older.pk}/models/", {"evidence": "true", "target": NEAR})
    for model in answer.json()["models"]:
        draws = drawn(older, model["kernel"]["path"], 600.0)
        assert draws.min() <= model["at_target"]["predicted"] <= draws.max()
        assert model["trust"]["grade"]


def test_older_models_are_compared_with_current_ones(member, older) -> None:
    faster = LAWS | {"main->plain": lambda p: 2 + 0.1 * p}
    newer = modelled(older.version.application.project, "1.1", faster, PROCESSES)
    comparison = Comparison.objects.get(before=older, after=newer)
    comparison_execute(comparison.pk)
    comparison.refresh_from_db()
    assert (comparison.state, comparison.error) == (State.DONE, "")
    kinds = dict(comparison.changes.values_list("kernel__path", "kind"))
    assert kinds.keys() == {"main->plain"}
    assert kinds["main->plain"] in (Change.Kind.FACTOR, Change.Kind.LAW)


def test_new_models_of_the_campaign_have_deviations(older) -> None:
    run = ModelRun.objects.get(campaign=older)
    assert runs.run_again(run=run, user=make_member(older.version.application.project))
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.state, run.engine_version) == (State.DONE, ENGINE_VERSION)
    assert unpack([run.models.get(kernel__path="main->wander").posterior]).deviation is not None
