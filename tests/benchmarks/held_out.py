"""Measure prediction errors at the largest value of a parameter, which is held out of real campaigns.

    python -m tests.benchmarks.held_out [--extrap /path/to/extrap/bin/python] FILE [FILE ...]

Our default modeler, Extra-P's default modeler and a two-point line are compared. FILE is anything that can be
uploaded: a file, an archive or a folder. For each metric, and each parameter with at least five values, the
largest value is held out, and predictions at all points with this value are judged.

"median" is the median over kernels of the relative error of the median repetition. "total" is the error of
the sum over the kernels that make up the whole program. "inside" is the share of points at which the 95 %
interval for a new repetition contains the measured value. Extra-P gets the medians of the kernels that were
measured at all known points; their number is in brackets. The two-point line is the power law through the
last two points.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
django.setup()  # This must be set before anything that needs the tables is loaded.

import numpy as np  # noqa: E402

from ingest.formats import parse  # noqa: E402
from ingest.formats.campaign.campaign import Campaign  # noqa: E402
from modeling.engine import FloatArray, fit  # noqa: E402
from modeling.totals import counts_to_total  # noqa: E402
from tests.benchmarks.regression_vs_extrap import Law, by_extrap  # noqa: E402

FEWEST_VALUES = 5
"""Smallest number of values that a parameter needs. After the largest one is held out, four are left to learn
from.
"""


@dataclass(frozen=True)
class HeldOut:
    """One metric of a campaign, split at the largest value of the parameter number `parameter`.

    The values (K, P, R) at the `points` (P, m) are known. `truth` (K, Q) are the medians at the held-out
    points `ahead` (Q, m). `counted` (K,) marks the kernels whose sum is the program.
    """

    name: str
    parameter: int
    points: FloatArray
    values: FloatArray
    ahead: FloatArray
    truth: FloatArray
    counted: np.ndarray

    @property
    def medians(self) -> FloatArray:
        """Medians of the repetitions at the known points, (K, P), or NaN where nothing was measured."""
        found = np.full(self.values.shape[:2], np.nan)
        measured = ~np.isnan(self.values).all(axis=2)
        found[measured] = np.nanmedian(self.values[measured], axis=1)
        return found

    def report(self, label: str, predicted: FloatArray, inside: float | None = None) -> None:
        """Print the errors of the predictions (K, Q)."""
        known = (self.truth > 0) & np.isfinite(predicted)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(known, abs(predicted - self.truth) / self.truth, np.nan)
        kernels = known.any(axis=1)
        median = np.median(np.nanmedian(error[kernels], axis=1)) if kernels.any() else np.nan
        parts = np.nan_to_num(self.truth[self.counted]).sum(axis=0)
        whole = np.where(known, predicted, 0.0)[self.counted].sum(axis=0)
        total = np.median(abs(whole - parts) / parts) if (parts > 0).all() else np.nan
        held = "" if inside is None else f"   inside {inside:4.0%}"
        print(f"  {label:14} median {median:7.1%}   total {total:7.1%}{held}", flush=True)


def main() -> None:
    """Print the errors for each campaign, metric and parameter."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--extrap", default=os.environ.get("EXTRAP_PYTHON"), help="Extra-P's Python")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    for path in arguments.files:
        for held in _all_held_out(path.name, parse(path)):
            print(f"{held.name}: {len(held.values)} kernels, {len(held.points)} points known")
            _compare(held, arguments.extrap)


def _compare(held: HeldOut, extrap: str | None) -> None:
    models = fit(held.points, held.values)
    lower, upper = models.prediction_interval(held.ahead, 0.95)
    known = held.truth > 0
    inside = ((lower <= held.truth) & (held.truth <= upper))[known].mean()
    held.report("perfweb", models.predict(held.ahead), float(inside))
    held.report("two-point line", _two_point_line(held))
    if extrap:
        whole = ~np.isnan(held.medians).any(axis=1)
        predicted = np.full(held.truth.shape, np.nan)
        laws = by_extrap(extrap, [(held.points, held.medians[whole, :, None])])["laws"][0]
        for kernel, law in zip(np.flatnonzero(whole), laws, strict=True):
            predicted[kernel] = _evaluate(law, held.ahead)
        held.report(f"Extra-P ({whole.sum()})", predicted)


def _all_held_out(name: str, campaign: Campaign) -> Iterator[HeldOut]:
    points = np.asarray(campaign.points, float)
    by_metric: dict[str, dict[str, FloatArray]] = {}
    for (kernel, metric), values in campaign.series.items():
        by_metric.setdefault(metric, {})[kernel] = values
    for metric, series in by_metric.items():
        repetitions = max(values.shape[1] for values in series.values())
        stacked = np.full((len(series), len(points), repetitions), np.nan)
        for row, values in zip(stacked, series.values(), strict=True):
            row[:, : values.shape[1]] = np.where(values > 0, values, np.nan)
        measured = np.asarray((~np.isnan(stacked)).any(axis=2))
        medians = np.full(measured.shape, np.nan)
        medians[measured] = np.nanmedian(stacked[measured], axis=1)
        counted = counts_to_total(list(series), medians, metric=metric)
        for parameter, label in enumerate(campaign.parameters):
            largest = points[:, parameter].max()
            known, ahead = points[:, parameter] < largest, points[:, parameter] == largest
            if len(np.unique(points[:, parameter])) < FEWEST_VALUES:
                continue
            kept = measured[:, known].sum(axis=1) >= FEWEST_VALUES - 1
            if kept.any():
                yield HeldOut(
                    f"{name}, {metric}, {label} = {largest:g}",
                    parameter,
                    points[known],
                    stacked[kept][:, known],
                    points[ahead],
                    medians[kept][:, ahead],
                    counted[kept],
                )


def _two_point_line(held: HeldOut) -> FloatArray:
    """Predict each held-out point by the power law through the two largest known values on its line."""
    predicted = np.full(held.truth.shape, np.nan)
    medians, moved = held.medians, held.parameter
    for column, point in enumerate(held.ahead):
        others = np.delete(held.points, moved, axis=1) == np.delete(point, moved)
        line = np.flatnonzero(others.all(axis=1))
        line = line[np.argsort(held.points[line, moved])][-2:]
        if len(line) == 2:
            x, y = np.log(held.points[line, moved]), np.log(medians[:, line])
            slope = (y[:, 1] - y[:, 0]) / (x[1] - x[0])
            predicted[:, column] = np.exp(y[:, 1] + slope * (np.log(point[moved]) - x[1]))
    return predicted


def _evaluate(law: Law, points: FloatArray) -> FloatArray:
    return np.asarray(
        sum(
            coefficient
            * np.prod([x**i * np.log2(x) ** j for x, (i, j) in zip(points.T, exponents, strict=True)], axis=0)
            for coefficient, exponents in law
        )
        * np.ones(len(points))
    )


if __name__ == "__main__":
    main()
