"""Tables of any number of values are compared with a slow, obvious way to build them."""

import gc
import os

import numpy as np
import pytest

from ingest.formats import FormatError, Limits
from ingest.formats.collecting import collector, spool
from ingest.formats.collecting.collector import Collector


def measured(random, records):
    """Return random records as (kernel, point, values)."""
    return [
        (
            f"k{random.integers(9)}",
            int(random.integers(1, 6)),
            random.uniform(1, 2, random.integers(1, 5)).tolist(),
        )
        for _ in range(records)
    ]


def slowly(found):
    """Return the values of the records by kernel and point."""
    tables = {}
    for kernel, point, values in found:
        tables.setdefault(kernel, {}).setdefault(point, []).extend(values)
    return tables


def collected(found, **limits):
    made = Collector(Limits(**limits))
    made.declare(["p"])
    for line, (kernel, point, values) in enumerate(found, 1):
        made.add(made.series(kernel, "time"), made.point([point]), values, line)
    return made.campaign("made")


@pytest.mark.parametrize("chunk", [1, 7, 50, 1 << 19])
@pytest.mark.parametrize("seed", range(3))
def test_every_value_is_in_its_place(monkeypatch, chunk, seed):
    monkeypatch.setattr(spool, "SORTED_AT_ONCE", chunk)
    monkeypatch.setattr(collector, "SORTED_AT_ONCE", chunk)
    random = np.random.default_rng(seed)
    found = measured(random, 100)
    campaign, expected = collected(found), slowly(found)
    points = campaign.points[:, 0].astype(int).tolist()
    assert [kernel for kernel, _ in campaign.series] == list(expected)
    keys = list(campaign.series)
    random.shuffle(keys)
    for key in [*campaign.series, *map(tuple, keys)]:
        table = campaign.series[key]
        for point, row in zip(points, table.tolist(), strict=True):
            assert [value for value in row if not np.isnan(value)] == expected[key[0]].get(point, [])
        assert table.shape[1] == max(map(len, expected[key[0]].values()))


def test_missing_points_are_reported(monkeypatch):
    monkeypatch.setattr(collector, "SORTED_AT_ONCE", 2)
    campaign = collected([("a", 1, [1.0]), ("a", 2, [1.0]), ("b", 2, [1.0, 2.0]), ("a", 3, [1.0])])
    assert campaign.notes == ("b (time) lacks 2 of 3 points",)


def test_a_wrong_value_in_an_early_chunk_names_its_line(monkeypatch):
    monkeypatch.setattr(collector, "SORTED_AT_ONCE", 2)
    with pytest.raises(FormatError) as raised:
        collected([("a", 1, [1.0]), ("a", 2, [1.0]), ("b", 2, [1.0, -2.0]), ("a", 3, [1.0] * 9)])
    assert raised.value.line == 3


def test_the_limit_on_values_covers_all_chunks(monkeypatch):
    monkeypatch.setattr(collector, "SORTED_AT_ONCE", 2)
    with pytest.raises(FormatError, match="more than 5 values"):
        collected([("a", 1, [1.0]) for _ in range(6)], values=5)


def test_the_temporary_file_is_deleted_with_the_campaign():
    gc.collect()  # Closes files that earlier tests have left open.
    before = set(os.listdir("/proc/self/fd"))
    campaign = collected([("a", 1, [1.0])])
    assert campaign.series["a", "time"].tolist() == [[1.0]]
    del campaign
    assert set(os.listdir("/proc/self/fd")) == before


def test_too_many_repetitions_are_refused_early(monkeypatch):
    monkeypatch.setattr(collector, "SORTED_AT_ONCE", 12)
    with pytest.raises(FormatError, match="12 repetitions at one point; expected at most 10 repetitions"):
        collected([("a", 1, [1.0])] * 12 + [("a", 1, [-1.0])], repetitions=10)


def test_the_limit_on_names_is_in_bytes():
    with pytest.raises(FormatError, match="at most 1000 bytes"):
        collected([(f"{'k' * 200}{place}", 1, [1.0]) for place in range(10)], names_bytes=1000)


def test_remembered_spellings_are_limited(monkeypatch):
    monkeypatch.setattr(collector, "REMEMBERED", 5)
    spellings = [f"a{' ' * (place % 9)}->{' ' * (place // 9)}b" for place in range(50)]
    campaign = collected([(spelling, 1, [float(place + 1)]) for place, spelling in enumerate(spellings)])
    assert campaign.series["a->b", "time"].tolist() == [list(range(1, 51))]
