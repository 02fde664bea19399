"""Metrics are converted into known names and units."""

import numpy as np
import pytest

from ingest.formats import Campaign
from ingest.formats.collecting.aligning import aligned
from ingest.formats.collecting.merging import merge_all


def campaign(p, units=None, **metrics):
    series = {("k", name): np.array([[value]]) for name, value in metrics.items()}
    return Campaign(("p",), np.array([[float(p)]]), series, units or {}, rounds=dict(series))


def values(of):
    return {metric: table.tolist() for (_, metric), table in of.series.items()}


@pytest.mark.parametrize(
    ("unit", "known", "expected"),
    [("s", "ms", 2000), ("min", "s", 120), ("MB", "GB", 0.002), ("GB/s", "MB/s", 2000)],
)
def test_values_are_converted_into_the_known_unit(unit, known, expected):
    found = aligned(campaign(4, {"x": unit}, x=2.0), {"x": known})
    assert found.series["k", "x"].tolist() == found.rounds["k", "x"].tolist() == [[pytest.approx(expected)]]
    assert found.units == {"x": known}
    assert found.notes == (f"x: values in {unit} were converted to {known}",)


@pytest.mark.parametrize(("unit", "known"), [("", "s"), ("s", ""), ("s", "s"), ("sec", "s"), ("s", None)])
def test_nothing_else_is_converted(unit, known):
    sent = campaign(4, {"x": unit} if unit else {}, x=2.0)
    assert aligned(sent, {} if known is None else {"x": known}) is sent


def test_units_of_another_kind_are_told():
    found = aligned(campaign(4, {"x": "GB"}, x=2.0), {"x": "s"})
    assert values(found) == {"x": [[2.0]]}
    assert found.notes == ("x is in GB here, but in s elsewhere; its values were not converted",)


def test_a_unit_in_the_name_is_converted():
    found = aligned(campaign(4, x_s=2.0, other=1.0), {"x_ms": "ms"})
    assert values(found) == {"x_ms": [[2000.0]], "other": [[1.0]]}
    assert found.units == {"x_ms": "ms"}
    assert found.notes == ("x_s was converted to x_ms, the name of this metric elsewhere",)


@pytest.mark.parametrize("known", [("x",), ("y_ms",), ("x_ms", "x_us"), ("x_calls",), ("x_s", "x_ms")])
def test_other_names_stay(known):
    sent = campaign(4, x_s=2.0)
    assert aligned(sent, dict.fromkeys(known, "")) is sent


def test_both_names_in_one_file_are_two_metrics():
    sent = campaign(4, x_s=2.0, x_ms=3.0)
    assert aligned(sent, {"x_ms": "ms"}) is sent


def test_a_merged_campaign_has_the_units_of_its_first_file():
    files = [
        campaign(2, {"time": "ms"}, time=500.0),
        campaign(4, {"time": "s"}, time=0.25),
        campaign(8, time=90.0),
    ]
    merged = merge_all(files)
    assert merged.series["k", "time"].tolist() == [[500], [250], [90]]
    assert (merged.units, merged.notes) == ({"time": "ms"}, ("time: values in s were converted to ms",))
    assert merge_all([campaign(2, time_ms=500.0), campaign(4, time_s=0.25)]).series["k", "time_ms"].size == 2
