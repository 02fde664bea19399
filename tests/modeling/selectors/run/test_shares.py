from dataclasses import replace

import numpy as np
import pytest
from django.db.models import F

from modeling.models import Model
from modeling.selectors.run.efficiency import efficiency
from modeling.selectors.run.shares import Shares, own_shares, shares_along
from modeling.selectors.run.snapshot_loading import runs_load, snapshot_load
from tests.factories import law_value, make_application, make_campaign, make_run
from tests.measured import make_weighed
from tests.portal.stories import BAD_HALO, laws


def line(total, strong_to=64.0):
    """Return a program that was measured from p = 4 to `strong_to`, and whose total along p is given."""
    x = np.array([4.0, 16.0, 64.0, 256.0, 1024.0])
    return Shares(
        parameter="p", held={}, x=x, names=("all",), others=0, shares=np.ones((2, 5)),
        total=np.array(total(x), float), measured=(4.0, 16.0, strong_to),
    )  # fmt: skip


def test_perfect_weak_scaling_is_fully_efficient():
    result = efficiency(line(lambda x: np.full_like(x, 3.0)), 1024.0)
    assert (result.strong, result.at_target, result.below_half) == (False, 1.0, None)


def test_perfect_strong_scaling_is_fully_efficient():
    result = efficiency(line(lambda x: 100 / x), 1024.0)
    assert (result.strong, result.at_target, result.below_half) == (True, pytest.approx(1.0), None)


def test_efficiency_falls_below_half_where_the_time_has_doubled():
    result = efficiency(line(lambda x: 1 + (x - 4) / 252), 1024.0)
    assert result.below_half == pytest.approx(256.0)


def test_one_process_count_gives_no_efficiency():
    alone = Shares("p", {}, np.array([4.0, 8.0]), ("all",), 0, np.ones((2, 2)), np.ones(2), (4.0,))
    assert efficiency(alone, 8.0) is None


@pytest.mark.django_db
def test_shares_add_up_and_follow_the_laws():
    application = make_application()
    run = make_run(make_campaign(application, "1.0"), laws(BAD_HALO, more=7))
    snapshot = snapshot_load(runs_load([run.pk])[run.pk], application.metrics.get())
    shares = shares_along(snapshot, "p")
    assert shares.shares.sum(axis=0) == pytest.approx(np.ones(len(shares.x)))
    assert (shares.names[0], len(shares.names), shares.others) == ("halo", 7, 3)
    at = int(np.searchsorted(shares.x, 256.0))
    total = sum(law_value(law, [256, 8000]) for law in laws(BAD_HALO, more=7).values())
    assert shares.x[at] == 256.0
    assert shares.shares[0, at] == pytest.approx(law_value(BAD_HALO, [256, 8000]) / total)
    assert (shares.held, shares.measured_to, shares.x[-1]) == ({"n": 8000.0}, 1024.0, 65536.0)


@pytest.mark.django_db
def test_a_program_of_zeros_has_no_shares():
    application = make_application()
    run = make_run(make_campaign(application, "1.0"), {"main": (0.0, [])})
    snapshot = snapshot_load(runs_load([run.pk])[run.pk], application.metrics.get())
    assert shares_along(snapshot, "p") is None


@pytest.mark.django_db
def test_a_kernel_that_is_large_only_at_small_scales_is_named():
    application = make_application()
    falling = {"main->falling": (0.0, [(1000.0, (-1, 0, 0, 0))])}
    run = make_run(make_campaign(application, "1.0"), laws(more=8) | falling)
    shares = shares_along(snapshot_load(runs_load([run.pk])[run.pk], application.metrics.get()), "p")
    assert shares.names[-1] == "falling"


@pytest.mark.django_db
def test_callers_that_contain_callees_are_shown_without_them():
    application = make_application()
    program = {"main": (5.0, []), "main->solve": (3.0, []), "main->solve->pack": (2.0, [])}
    run = make_run(make_campaign(application, "1.0"), program)
    Model.objects.filter(run=run).exclude(kernel__path="main").update(counts_to_total=False)
    shares = shares_along(snapshot_load(runs_load([run.pk])[run.pk], application.metrics.get()), "p")
    assert dict(zip(shares.names, shares.shares[:, 0].round(3).tolist(), strict=False)) == {
        "main": 0.4,
        "solve": 0.2,
        "pack": 0.4,
    }
    assert (shares.without_callees, shares.total[0]) == (True, 5.0)


@pytest.mark.django_db
def test_shares_at_the_target_are_those_of_the_predictions():
    """They are also those of the predictions for kernels that are too small to be weighed anew."""
    application = make_application()
    campaign, run = make_weighed(application, "1.0", noise=0.5)
    Model.objects.filter(run=run).update(predicted=1.1 * F("predicted"))
    metric = application.metrics.get(name="time")
    snapshot = snapshot_load(run, metric)
    shares = shares_along(snapshot, "p")
    at = int(np.searchsorted(shares.x, snapshot.target[campaign.parameters.index("p")]))
    predicted = dict(zip([row.name for row in snapshot.rows], snapshot.predicted, strict=True))
    counted = sum(predicted[row.name] for row in snapshot.rows if row.counts_to_total)
    assert shares.total[at] == pytest.approx(counted)
    formulas = snapshot.loaded.models.predict(snapshot.target[None])[:, 0]
    assert formulas != pytest.approx(snapshot.predicted, rel=1e-4)


def test_efficiency_is_as_uncertain_as_the_total():
    exact = efficiency(line(lambda x: 1 + (x - 4) / 252), 1024.0)
    assert (exact.lower, exact.upper) == (None, None)
    unsure = efficiency(replace(line(lambda x: 1 + (x - 4) / 252), total_ends=(0.8, 1.6)), 1024.0)
    assert unsure.at_target == exact.at_target
    assert (unsure.lower, unsure.upper) == pytest.approx((exact.at_target / 1.6, exact.at_target / 0.8))


@pytest.mark.django_db
def test_named_shares_have_intervals_as_in_the_table():
    application = make_application()
    run = make_run(make_campaign(application, "1.0"), laws(BAD_HALO, more=7))
    snapshot = snapshot_load(runs_load([run.pk])[run.pk], application.metrics.get())
    found = shares_along(snapshot, "p")
    names = [row.name for row in snapshot.rows]
    rows = [names.index(name) for name in found.names]
    for ends, column in zip(found.ends, snapshot.shares(rows)[1:], strict=True):
        assert ends == pytest.approx(column)
    share = found.shares[:-1, -1]
    assert ((found.ends[0] < share) & (share < found.ends[1])).all()
    lower, upper = found.total_ends
    assert lower < 1 < upper


@pytest.mark.django_db
def test_parts_of_callers_have_intervals_too():
    application = make_application()
    program = {"main": (5.0, []), "main->solve": (3.0, []), "main->solve->pack": (2.0, [])}
    run = make_run(make_campaign(application, "1.0"), program)
    Model.objects.filter(run=run).exclude(kernel__path="main").update(counts_to_total=False)
    snapshot = snapshot_load(runs_load([run.pk])[run.pk], application.metrics.get())
    found = shares_along(snapshot, "p")
    assert ((found.ends[0] < found.shares[:3, -1]) & (found.shares[:3, -1] < found.ends[1])).all()
    assert snapshot.total.lower == pytest.approx(4.5)  # The interval of the root's own prediction.
    assert snapshot.alone.name == "main"


@pytest.mark.django_db
def test_own_shares_add_up_and_need_callees():
    application = make_application()
    program = {"main": (5.0, []), "main->solve": (3.0, []), "main->solve->pack": (2.0, []), "io": (5.0, [])}
    run = make_run(make_campaign(application, "1.0"), program)
    metric = application.metrics.get()
    Model.objects.filter(run=run, kernel__path__contains="->").update(counts_to_total=False)
    snapshot = snapshot_load(runs_load([run.pk])[run.pk], metric)
    own, shares = own_shares(snapshot)
    names = [row.name for row in snapshot.rows]
    assert dict(zip(names, own, strict=True)) == {"main": 2.0, "solve": 1.0, "pack": 2.0, "io": 5.0}
    assert dict(zip(names, shares, strict=True)) == {"main": 0.2, "solve": 0.1, "pack": 0.2, "io": 0.5}
    flat = make_run(make_campaign(application, "2.0"), {"fft": (1.0, []), "sort": (2.0, [])})
    unknown = own_shares(snapshot_load(runs_load([flat.pk])[flat.pk], metric))
    assert np.isnan(unknown).all()
