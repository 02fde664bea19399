"""A file is described before it is stored."""

import json

import numpy as np
import pytest

from ingest.formats import Campaign
from ingest.services.diagnosis import diagnose

NAN = float("nan")
POINTS = [[p, n] for p in (4, 8, 16, 32, 64) for n in (100, 200, 300, 400, 500)]


def campaign(points=POINTS, parameters=("p", "n"), **series):
    table = np.array(points, float)
    rows = np.arange(1.0, len(points) + 1)[:, None] * [1.0, 1.01, 1.02]
    made = {("main", name): np.array(values, float) for name, values in series.items()}
    return Campaign(parameters, table, made or {("main", "time"): rows}, format="jsonl", notes=("a note",))


def test_it_works():
    diagnosis = diagnose(campaign())
    assert diagnosis["format"] == "jsonl"
    assert [(row["name"], row["role"]) for row in diagnosis["parameters"]] == [
        ("p", "processes"),
        ("n", "problem_size"),
    ]
    assert diagnosis["parameters"][0]["values"] == [4, 8, 16, 32, 64]
    assert diagnosis["metrics"] == [{"name": "time", "unit": "s", "lower_is_better": True}]
    assert (diagnosis["point_count"], diagnosis["missing_count"], diagnosis["repetitions"]) == (25, 0, 3)
    assert (diagnosis["kernels"], diagnosis["kernel_count"], diagnosis["value_count"]) == (["main"], 1, 75)
    assert diagnosis["suspicious"] == []
    assert diagnosis["notes"] == ["a note"]
    json.dumps(diagnosis, allow_nan=False)


@pytest.mark.parametrize(("largest", "unit"), [(1e7, "s"), (2.5e10, "")])
def test_a_time_too_long_for_seconds_has_no_unit(largest, unit):
    """Times of sorting in nanoseconds would be 801 years."""
    [diagnosis] = diagnose(campaign(time=np.linspace(1, largest, 75).reshape(25, 3)))["metrics"]
    assert diagnosis == {"name": "time", "unit": unit, "lower_is_better": True}


def test_missing_points_of_a_grid_are_listed():
    diagnosis = diagnose(campaign(points=[point for point in POINTS if point not in ([8, 200], [64, 500])]))
    assert diagnosis["missing_points"] == [[8, 200], [64, 500]]
    assert diagnosis["missing_count"] == 2


def test_scattered_points_have_no_missing_ones():
    points = [[place, place**2] for place in range(1, 200)]
    assert diagnose(campaign(points=points))["missing_count"] == 0


def five(*rows):
    return {"points": [[2**place] for place in range(5)], "parameters": ("p",), "time": rows}


GOOD = [[1.0, 1.01, 1.02], [2.0, 2.01, 2.02], [3.0, 3.01, 3.02], [4.0, 4.01, 4.02]]


@pytest.mark.parametrize(
    ("parsed", "expected"),
    [
        (five(*GOOD, [5.0, 5.1, 50.0]), "main (time): 50 at p = 16, where the median is 5.1"),
        (five(*GOOD, [5.0, 5.1, 0.05]), "main (time): 0.05 at p = 16, where the median is 5"),
        (
            five([1.0, NAN, NAN], *GOOD[1:3], [4.0, 4.1, 30.0], [5.0, 5.1, 5.2]),
            "main (time): 30 at p = 8, where the median is 4.1",
        ),
        (five(*GOOD, [5.0, 5.1, 0.0]), "main (time): 0 in 1 of 15 values"),
        (
            five(*([row[0] + 0.5] * 3 for row in GOOD), [NAN] * 3),
            "main (time): all repetitions are equal to the last digit, as if one had been copied",
        ),
        (
            five(*(row[:1] for row in GOOD), [5.0]),
            "every point was measured once, so the noise is unknown and intervals are wide",
        ),
        (
            {"points": [[2], [4]], "parameters": ("p",), "time": GOOD[:2]},
            "p has only 2 values; to tell laws apart takes 5",
        ),
    ],
)
def test_suspicious_values_are_named(parsed, expected):
    assert diagnose(campaign(**parsed))["suspicious"] == [expected]


@pytest.mark.parametrize(
    "rows",
    [
        [[0.0, 0.0, 0.0]] * 5,  # a counter that stays at 0
        [[7.0, 7.0, 7.0]] * 5,  # numbers of visits, which do not vary
        [[1.0, 2.0, 4.0]] * 4 + [[NAN, NAN, NAN]],  # large noise, and a missing point
    ],
)
def test_ordinary_values_are_not_suspicious(rows):
    assert diagnose(campaign(**five(*rows)))["suspicious"] == []
