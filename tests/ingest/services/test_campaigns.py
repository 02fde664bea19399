"""A parsed campaign is stored as rows."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from threading import Barrier

import numpy as np
import pytest
from django.db import connection

from ingest.formats import Campaign as Parsed
from ingest.models import Application, Campaign, Kernel, Machine, Metric, Parameter, Series, Target, Version
from ingest.services import campaign_store, campaigns
from tests.factories import make_project
from tests.ingest.sent import measured, send

NAN = float("nan")
PARSED = Parsed(
    parameters=("p", "n"),
    points=np.array([[8.0, 100.0], [16.0, 100.0]]),
    series={
        ("main->solve->dot", "time"): np.array([[1.5, 0.1 + 0.2], [3.0, NAN]]),
        ("main->solve->dot", "bytes_sent"): np.array([[7.0], [9.0]]),
        ("main->io", "time"): np.array([[NAN], [2.0]]),
    },
    metadata={"compiler": "gcc", "nodes": 1},
    notes=("main->io (time) lacks 1 of 2 points",),
    format="jsonl",
)


def store(project, parsed=PARSED, **fields):
    return campaign_store(upload=send(project, **fields), parsed=parsed)


def test_it_works(project):
    campaign = store(project, machine="cluster-a", commit="abc", branch="main", metadata={"nodes": 4})
    campaign.refresh_from_db()
    assert campaign.parameters == ["p", "n"]
    assert campaign.points == [[8.0, 100.0], [16.0, 100.0]]
    # Metadata sent with the upload replace those in the file.
    assert campaign.metadata == {"compiler": "gcc", "nodes": 4}
    assert (campaign.kernel_count, campaign.value_count, campaign.repetitions) == (2, 6, 2)
    assert (campaign.machine.name, campaign.version.label, campaign.version.commit) == (
        "cluster-a",
        "1.0",
        "abc",
    )
    upload = campaign.uploads.get()
    assert (upload.state, upload.format) == ("stored", "jsonl")
    assert upload.notes == ["main->io (time) lacks 1 of 2 points"]


def test_values_are_stored_exactly_and_missing_ones_as_missing(project):
    store(project)
    found = {(series.kernel.path, series.metric.name): series for series in Series.objects.all()}
    assert found.keys() == PARSED.series.keys()
    for key, series in found.items():
        table = np.reshape(series.values, (2, series.repetitions))
        np.testing.assert_array_equal(table, PARSED.series[key])
    assert found["main->io", "time"].rows() == [[], [2.0]]


def test_callers_become_kernels_too(project):
    store(project)
    parents = dict(Kernel.objects.values_list("path", "parent__path"))
    assert parents == {
        "main": None,
        "main->solve": "main",
        "main->solve->dot": "main->solve",
        "main->io": "main",
    }


def test_names_with_special_characters_of_copy_and_sql_are_stored(project):
    path = 'operator\\n->“a\\tb”\'; DROP TABLE "x"->{1,2}->\\N'
    store(project, Parsed(("p",), np.array([[8.0]]), {(path, "time"): np.array([[1.0]])}))
    assert Series.objects.get().kernel.path == path


def test_the_next_version_reuses_kernels_metrics_and_parameters(project):
    store(project)
    before = [model.objects.count() for model in (Application, Kernel, Metric, Parameter, Target, Machine)]
    store(project, version="1.1")
    assert before == [
        model.objects.count() for model in (Application, Kernel, Metric, Parameter, Target, Machine)
    ]
    assert Campaign.objects.count() == 2


def test_corrections_by_maintainers_are_kept(project):
    store(project)
    Metric.objects.filter(name="time").update(unit="ms")
    Parameter.objects.filter(name="n").update(role=Parameter.Role.OTHER)
    Target.objects.update(name="ours", automatic=False)
    store(project, version="1.1")
    assert Metric.objects.get(name="time").unit == "ms"
    assert Parameter.objects.get(name="n").role == Parameter.Role.OTHER
    assert Target.objects.get().name == "ours"


def test_roles_units_and_a_first_target_are_guessed(project):
    store(project)
    roles = dict(Parameter.objects.values_list("name", "role"))
    assert roles == {"p": "processes", "n": "problem_size"}
    assert dict(Metric.objects.values_list("name", "unit")) == {"time": "s", "bytes_sent": "B"}
    assert Target.objects.get().values == {"p": 32.0, "n": 100.0}


def test_units_and_directions_come_from_the_file_then_from_names(project):
    values = np.ones((2, 1))
    series = {("main", name): values for name in ("GFLOPS", "time.duration.ns", "x")}
    store(project, replace(PARSED, series=series, units={"GFLOPS": "", "x": "ops/s"}))
    assert set(Metric.objects.values_list("name", "unit", "lower_is_better")) == {
        ("GFLOPS", "GFLOP/s", False),
        ("time.duration.ns", "ns", True),
        ("x", "ops/s", False),
    }


def test_versions_are_ordered_by_date_and_without_one_as_they_come(project):
    for label, day in (("1.0", 10), ("1.2", 20), ("1.1", 15), ("0.9", 5), ("?", None), ("1.3", 25)):
        date = datetime(2026, 1, day, tzinfo=UTC) if day else None
        store(project, version=label, committed_at=date)
    assert [version.label for version in Version.objects.all()] == ["0.9", "1.0", "1.1", "1.2", "?", "1.3"]


def test_a_campaign_is_stored_completely_or_not_at_all(project, monkeypatch):
    def fail(*args):
        raise RuntimeError("the worker dies here")

    upload = send(project)
    monkeypatch.setattr(campaigns, "target_follow", fail)  # `target_follow` is the last step of storing.
    with pytest.raises(RuntimeError):
        campaign_store(upload=upload, parsed=PARSED)
    for model in (Application, Version, Machine, Kernel, Metric, Parameter, Campaign, Series):
        assert not model.objects.exists()
    upload.refresh_from_db()
    assert upload.state == "received"


@pytest.mark.parametrize("kernels", [1, 500])
def test_queries_do_not_grow_with_kernels(project, django_assert_max_num_queries, kernels):
    upload = send(project)
    series = {(f"main->k{index}", "time"): np.ones((2, 5)) for index in range(kernels)}
    parsed = Parsed(("p", "n"), PARSED.points, series)
    with django_assert_max_num_queries(60):
        campaign_store(upload=upload, parsed=parsed)
    assert Series.objects.count() == kernels


@pytest.mark.django_db(transaction=True)
def test_simultaneous_campaigns_share_a_new_application():
    project, ready = make_project(), Barrier(4)
    uploads = [send(project, measured(solve=index + 1), version=f"1.{index}") for index in range(4)]

    def job(upload):
        try:
            ready.wait()
            campaign_store(upload=upload, parsed=PARSED)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(job, uploads))
    assert Application.objects.get().versions.count() == 4
    assert sorted(Version.objects.values_list("position", flat=True)) == [0, 1, 2, 3]
    assert Kernel.objects.count() == 4
    assert Series.objects.count() == 12
