"""Stored predictions are updated whenever the target is changed."""

import pytest
from django.urls import reverse

from ingest.models import Application, Target
from modeling import receivers
from modeling.models import Comparison, Model, ModelRun, State, Total, Trend
from modeling.services.predictions import default_target
from modeling.storage import model_portions, model_rows
from modeling.tasks import application_retarget, comparison_execute, run_execute, runs_sweep
from tests.factories import make_member
from tests.modeling.stored import modelled, store

pytestmark = pytest.mark.django_db

LAWS = {"main->halo": lambda p: 0.1 * p, "main->sweep": lambda p: 2.0}
SLOWER = LAWS | {"main->halo": lambda p: 0.0001 * p**2}
WIDER = (8, 16, 32, 64, 128)


def compared():
    for comparison in Comparison.objects.exclude(state=State.DONE):
        comparison_execute(comparison.pk)


def test_it_works(project):
    modelled(project, "1.0", LAWS, WIDER[:4])
    assert ModelRun.objects.get().target == {"p": 256.0}
    modelled(project, "1.1", LAWS, WIDER)
    application_retarget(Application.objects.get().pk)
    assert set(map(str, ModelRun.objects.values_list("target", flat=True))) == {"{'p': 2048.0}"}
    assert list(Total.objects.values_list("predicted", flat=True)) == pytest.approx([206.8] * 2, rel=0.05)
    assert Trend.objects.get(kernel__path="main->halo").predicted == pytest.approx([204.8] * 2, rel=0.05)


def test_a_signal_requests_new_predictions(project, monkeypatch):
    sent = []
    monkeypatch.setattr(receivers, "enqueue", lambda task, row: sent.append((task, row)))
    store(project, "1.0", LAWS)
    store(project, "1.1", LAWS)
    assert sent == [("modeling.tasks.application_retarget", Application.objects.get())]


def test_a_target_may_move_while_a_campaign_is_modelled(project, monkeypatch):
    campaign = store(project, "1.0", LAWS)
    store_models = model_rows.store

    def moved(*args, **options):
        Target.objects.update(values={"p": 128.0})
        store_models(*args, **options)

    monkeypatch.setattr(model_rows, "store", moved)
    run_execute(ModelRun.objects.get(campaign=campaign).pk)
    assert ModelRun.objects.get().target == {"p": 128.0}
    assert Model.objects.get(kernel__path="main->halo").predicted == pytest.approx(12.8, rel=0.05)
    assert Total.objects.get().predicted == pytest.approx(14.8, rel=0.05)


def test_comparisons_are_updated_to_the_target(project):
    """The new law is faster below p = 1,000, and slower above."""
    modelled(project, "1.0", LAWS, WIDER)
    modelled(project, "1.1", SLOWER, WIDER)
    Target.objects.update(values={"p": 256.0})
    for target, ratio in ((256.0, 0.256), (16_384.0, 16.384)):
        Target.objects.update(values={"p": target})
        application_retarget(Application.objects.get().pk)
        compared()
        change = Comparison.objects.get().changes.get(kernel__path="main->halo")
        assert change.ratio == pytest.approx(ratio, rel=0.2)


def test_the_sweeper_finds_predictions_whose_message_was_lost(project, monkeypatch):
    modelled(project, "1.0", LAWS, WIDER[:4])
    assert not default_target.applications_behind()
    Target.objects.update(values={"p": 128.0})
    assert list(default_target.applications_behind()) == [Application.objects.get()]
    sent = []
    monkeypatch.setattr("modeling.tasks.enqueue", lambda task, row: sent.append(task))
    runs_sweep()
    assert sent == ["modeling.tasks.application_retarget"]
    application_retarget(Application.objects.get().pk)
    assert not default_target.applications_behind()


def test_predictions_updated_in_portions_are_the_same(project, monkeypatch):
    modelled(project, "1.0", LAWS | {"main->io": lambda p: 0.01 * p + 1}, WIDER[:4])
    rows = Model.objects.order_by("kernel__path").values_list("predicted", "lower", "upper")
    application = Application.objects.get()
    found = []
    for count in (100, 1, 2):
        Target.objects.update(values={"p": 128.0})
        application_retarget(application.pk)
        monkeypatch.setattr(model_portions, "kernels_at_once", lambda campaign, count=count: count)
        Target.objects.update(values={"p": 4096.0})
        application_retarget(application.pk)
        found.append(list(rows))
    assert found[0] == found[1] == found[2]
    assert found[0][0][0] == pytest.approx(409.6, rel=0.1)


ERRATIC = {"main->halo": lambda p: {4: 1.0, 8: 1.1, 16: 1.0, 32: 1.6, 64: 9.0}[p]}


def test_an_earlier_version_does_not_bring_the_target_nearer(project):
    earlier = store(project, "1.0", ERRATIC, noise=0.1)
    modelled(project, "1.1", LAWS)
    run_execute(ModelRun.objects.get(campaign=earlier).pk)
    assert Target.objects.get().nearer == 0


def test_an_automatic_target_comes_nearer_until_its_prediction_is_useful(project, client):
    campaign = store(project, "1.0", ERRATIC, noise=0.1)
    target = Target.objects.get()
    assert (target.values, target.nearer) == ({"p": 1024.0}, 0)
    run_execute(ModelRun.objects.get(campaign=campaign).pk)
    application_retarget(target.application_id)
    target.refresh_from_db()
    total = Total.objects.get()
    assert target.nearer > 0
    assert target.values == {"p": 1024.0 / 2**target.nearer}
    assert max(total.predicted / total.lower, total.upper / total.predicted) <= 10
    client.force_login(make_member(project))
    page = client.get(reverse("application", args=[project.slug, "hydro"])).content.decode()
    assert f"The portal chose it {2**target.nearer}× nearer than" in page
    told = client.get("/api/v1/applications/hydro/").json()["targets"]
    assert [each["nearer"] for each in told] == [2**target.nearer]
    # the same values again change nothing, a wider range does
    modelled(project, "1.1", ERRATIC | {"main->halo": lambda p: 1.0 + 0.1 * p}, processes=(4, 8, 16, 32, 64))
    target.refresh_from_db()
    assert target.nearer > 0
    modelled(project, "1.2", LAWS, processes=(4, 8, 16, 32, 64, 128))
    target.refresh_from_db()
    assert (target.values, target.nearer) == ({"p": 2048.0}, 0)
