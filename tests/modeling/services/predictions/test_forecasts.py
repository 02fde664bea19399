"""Predictions are compared with values that are measured later."""

import pytest

from modeling.engine.results.models import MISFIT
from modeling.models import Forecast, ModelRun
from modeling.services.predictions import forecasts
from modeling.storage import model_portions
from tests.factories import make_project
from tests.modeling.stored import model, store

pytestmark = pytest.mark.django_db

LAWS = {"main->halo": lambda p: 0.1 * p, "main->sweep": lambda p: 2.0}


def test_a_later_campaign_of_the_version_scores_the_earlier_one_s_forecasts(project):
    first = store(project, "1.0", LAWS)
    model(first)
    # Beyond p = 64 the sweep takes twice as long, which the first campaign could not show.
    later = store(project, "1.0", LAWS | {"main->sweep": lambda p: 4.0}, (64, 512, 1024))
    model(later)
    halo = Forecast.objects.get(model__kernel__path="main->halo")
    assert halo.campaign == later
    # 64 had been measured before, so its prediction is no forecast.
    assert halo.points == [[512.0], [1024.0]]
    assert halo.measured == pytest.approx([51.2, 102.4], rel=0.02)
    assert halo.relative_error < 0.05
    assert all(
        low < value < high for low, value, high in zip(halo.lower, halo.predicted, halo.upper, strict=True)
    )
    sweep = Forecast.objects.get(model__kernel__path="main->sweep")
    assert sweep.relative_error == pytest.approx(0.5, abs=0.02)


def test_forecasts_of_laws_that_do_not_fit_are_scored(project):
    """Without laws that do not fit, the scores would be too favourable."""
    wild = dict(zip((4, 8, 16, 32, 64), (1.0, 9.0, 1.2, 11.0, 2.0), strict=True))
    first = store(project, "1.0", LAWS | {"main->wild": lambda p: wild.get(p, 5.0)})
    model(first)
    assert ModelRun.objects.get(campaign=first).models.get(kernel__path="main->wild").status == MISFIT
    model(store(project, "1.0", LAWS | {"main->wild": lambda p: 5.0}, (512,)))
    assert Forecast.objects.get(model__kernel__path="main->wild").measured == pytest.approx([5.0], rel=0.05)


def test_the_order_in_which_runs_finish_does_not_matter(project):
    first, later = store(project, "1.0", LAWS), store(project, "1.0", LAWS, (512,))
    model(later)
    assert not Forecast.objects.exists()
    model(first)
    assert Forecast.objects.filter(model__run__campaign=first, campaign=later).count() == 2


def test_another_version_scores_no_forecasts(project):
    model(store(project, "1.0", LAWS))
    model(store(project, "1.1", LAWS, (512,)))
    assert not Forecast.objects.exists()


def test_repeated_scoring_changes_nothing(project):
    model(store(project, "1.0", LAWS))
    later = store(project, "1.0", LAWS, (512,))
    model(later)
    ModelRun.objects.filter(campaign=later).update(state="running")
    model(later)
    assert Forecast.objects.count() == 2


def scored(project):
    model(store(project, "1.0", LAWS))
    model(store(project, "1.0", LAWS, (64, 512, 1024, 2048)))
    rows = Forecast.objects.filter(campaign__version__application__project=project)
    return [
        (row.points, row.predicted, row.lower, row.measured) for row in rows.order_by("model__kernel__path")
    ]


def test_scoring_in_portions_gives_the_same_result(project, monkeypatch):
    whole = scored(project)
    monkeypatch.setattr(model_portions, "kernels_at_once", lambda campaign: 1)
    monkeypatch.setattr(forecasts, "FORECASTS_AT_ONCE", 1)
    for one, other in zip(scored(make_project()), whole, strict=True):
        assert one[0] == other[0]
        for numbers, expected in zip(one[1:], other[1:], strict=True):
            assert numbers == pytest.approx(expected)


def test_of_very_many_points_the_last_are_among_those_scored(project, monkeypatch):
    monkeypatch.setattr(forecasts, "FORECASTS", 4)
    assert [row[0] for row in scored(project)] == [[[512.0], [2048.0]]] * 2
