"""The series of a campaign are loaded as arrays."""

import tracemalloc

import numpy as np
import pytest
from django.db import connection

from ingest.models import Campaign, Kernel, Series
from modeling.storage import arrays
from tests.factories import POINTS, make_application, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return make_campaign(make_application(), "1.0")


@pytest.fixture
def metric(campaign):
    return campaign.version.application.metrics.get()


def put(campaign, metric, values):
    """Store series (P, R) of new kernels in reverse order, so that series and kernels have different orders
    of ids.
    """
    application = campaign.version.application
    made = (Kernel(application=application, path=f"k{number}") for number in range(len(values)))
    kernels = Kernel.objects.bulk_create(made)
    for kernel, table in reversed([*zip(kernels, values, strict=True)]):
        Series.objects.create(
            campaign=campaign, kernel=kernel, metric=metric, repetitions=table.shape[1],
            values=table.ravel().tolist(),
        )  # fmt: skip
    return [kernel.pk for kernel in kernels]


def made(kernels, repetitions=(3,)):
    rng = np.random.default_rng(1)
    return [rng.uniform(1, 2, (len(POINTS), repetitions[k % len(repetitions)])) for k in range(kernels)]


def test_kernels_with_different_repetitions_fit_into_one_table(campaign, metric):
    values = made(7, (3, 1, 2))
    values[3][2, 1] = np.nan
    ids = put(campaign, metric, values)
    series = arrays.series_load(campaign, metric.pk)
    assert series.kernels.tolist() == ids
    assert series.values.shape == (7, len(POINTS), 3)
    for row, table in zip(series.values, values, strict=True):
        np.testing.assert_array_equal(row[:, : table.shape[1]], table)
        assert np.isnan(row[:, table.shape[1] :]).all()
    np.testing.assert_array_equal(series.points, POINTS)
    assert series.inclusive is None


def test_some_kernels(campaign, metric):
    values = made(5)
    ids = put(campaign, metric, values)
    series = arrays.series_load(campaign, metric.pk, (pk for pk in [ids[3], ids[1], max(ids) + 1]))
    assert series.kernels.tolist() == [ids[1], ids[3]]
    np.testing.assert_array_equal(series.values, [values[1], values[3]])
    nothing = arrays.series_load(campaign, metric.pk, [])
    assert nothing.values.shape == (0, len(POINTS), 1)


def test_the_repetitions_of_each_kernel_are_returned(campaign, metric):
    ids = put(campaign, metric, made(4, (3, 1)))
    kernels, repetitions = arrays.series_sizes(campaign, metric.pk)
    assert (kernels.tolist(), repetitions.tolist()) == (ids, [3, 1, 3, 1])


def test_medians_of_a_whole_metric(campaign, metric):
    values = made(6, (4, 1, 3))
    values[0][3, 1:3] = values[1][5] = values[2][0] = np.nan
    ids = put(campaign, metric, values)
    kernels, medians = arrays.series_medians(campaign, metric.pk)
    assert kernels.tolist() == ids
    known = [[row[~np.isnan(row)] for row in table] for table in values]
    expected = [[np.median(row) if row.size else np.nan for row in table] for table in known]
    np.testing.assert_allclose(medians, expected, rtol=1e-15)
    np.testing.assert_array_equal(medians, arrays.series_load(campaign, metric.pk).medians())


def test_a_campaign_that_has_grown_is_loaded_with_its_new_points(campaign, metric):
    put(campaign, metric, made(3))
    Campaign.objects.filter(pk=campaign.pk).update(points=[*POINTS, [2048.0, 1000.0]])
    for series in Series.objects.all():
        series.values += [9.0, 9.0, 9.0]
        series.save()
    assert arrays.series_load(campaign, metric.pk).values.shape == (3, len(POINTS) + 1, 3)
    assert len(campaign.points) == len(POINTS) + 1


def test_values_of_other_points_are_an_error(campaign, metric):
    put(campaign, metric, made(2))
    Series.objects.filter(pk=Series.objects.first().pk).update(values=[1.0, 2.0])
    with pytest.raises(ValueError, match="cannot reshape"):
        arrays.series_load(campaign, metric.pk)


def test_loading_takes_little_memory_beside_its_result(campaign, metric):
    """If values became Python's number objects, loading would need four times the memory of the result."""
    put(campaign, metric, made(1, (20_000,)))
    kernel = Series.objects.get().kernel
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO ingest_kernel (application_id, path)
            SELECT application_id, 'copy' || k FROM ingest_kernel, generate_series(1, 39) k WHERE id = %s;
            INSERT INTO ingest_series (campaign_id, metric_id, kernel_id, repetitions, values)
            SELECT campaign_id, metric_id, k.id, repetitions, values
            FROM ingest_series, ingest_kernel k WHERE path LIKE 'copy%%'
            """,
            [kernel.pk],
        )
    tracemalloc.start()
    series = arrays.series_load(campaign, metric.pk)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(series.values) == 40
    assert most < series.values.nbytes * 1.3
