"""Downloads of a campaign: its measured values, and its models in forms for further use."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Campaign, Metric
from ingest.selectors import series_of
from modeling.engine import INTERVAL_LEVEL, latex_text, python_identifiers
from modeling.models import Model
from modeling.selectors.run.campaign import largest_measured
from modeling.selectors.run.kernel_table import KernelRow
from modeling.selectors.run.targets import target_point
from modeling.storage import arrays
from perfweb.portal.files import latex
from perfweb.portal.files.exports import Value, csv_row, finite, parameter_columns
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import bare
from perfweb.together import equations


@dataclass(frozen=True)
class WrittenModel:
    """A stored law in all notations, and its value at the target of the stored prediction.

    `together` are the relations of parameters that were varied together; empty if there are none.
    """

    row: Model
    text: str
    latex: str
    python: str
    value: float
    target: str
    together: str


def values_json_lines(campaign: Campaign) -> Iterator[str]:
    """Yield a line per kernel, metric and point, in a format that can be uploaded again."""
    points = [dict(zip(campaign.parameters, point, strict=True)) for point in campaign.points]
    for series in series_of(campaign):
        about = {"callpath": series.kernel.path, "metric": series.metric.name}
        for point, values in zip(points, series.rows(), strict=True):
            if values:
                yield json.dumps({"params": point, **about, "value": values}, ensure_ascii=False) + "\n"


def values_csv(campaign: Campaign) -> Iterator[str]:
    """Yield a row per measured value, with all digits."""
    others = ("kernel", "metric", "value")
    yield csv_row([*parameter_columns(campaign.parameters, others), *others])
    points = [csv_row(point).rstrip("\n") for point in campaign.points]
    for series in series_of(campaign):
        names = csv_row([series.kernel.path, series.metric.name]).rstrip("\n")
        for point, values in zip(points, series.rows(), strict=True):
            for value in values:
                yield f"{point},{names},{value!r}\n"


def models_written(campaign: Campaign, rows: Sequence[Model]) -> list[WrittenModel]:
    """Return the laws of `rows`, models of one run; models without a law are left out."""
    known = [row for row in rows if row.constant is not None]
    if not known:
        return []
    models, names = arrays.models_load(known, campaign), campaign.parameters
    target = target_point(known[0].run.target, campaign)
    with np.errstate(over="ignore", invalid="ignore"):
        values = models.law(target[None])[:, 0].tolist()
    spelled = zip(
        known, models.expressions(names), models.latex(names), models.python(names), values, strict=True
    )
    place = target_text(dict(zip(names, target.tolist(), strict=True)))
    region = models.measured
    written = ["; ".join(equations(known.relations, names)) for known in region.places]
    together = [written[at] for at in region.of.tolist()]
    return [WrittenModel(*each, place, bound) for each, bound in zip(spelled, together, strict=True)]


def target_text(values: dict[str, float]) -> str:
    """Return a target for a file: p = 65,536, n = 8,000."""
    return bare(formatting.configuration(values))


MODEL_COLUMNS = (
    "kernel", "metric", "unit", "better", "law", "python", "growth", "smape", "cross-validated smape",
    "held-out error", "noise", "predicted", "lower", "upper", "formula's value", "target", "interval",
    "varied together",
)  # fmt: skip
INTERVAL = formatting.in_percent(100 * INTERVAL_LEVEL)
"""The probability of all intervals; tables in files name it."""


def _cells(model: WrittenModel) -> list[Value]:
    row = model.row
    better = "lower" if row.metric.lower_is_better else "higher"
    return [
        row.kernel.path, row.metric.name, row.metric.unit, better, model.text, model.python, row.growth,
        row.smape, row.cv_smape, row.holdout_error, row.noise, row.predicted, row.lower, row.upper,
        model.value, model.target, INTERVAL, model.together,
    ]  # fmt: skip


def models_json(about: str, campaign: Campaign, models: Sequence[WrittenModel]) -> Iterator[str]:
    """Yield one object with the parameters, their names in Python, and a list of models."""
    known = python_identifiers(campaign.parameters)
    arguments = [known[name] for name in campaign.parameters]
    head = {"of": about, "parameters": campaign.parameters, "arguments": arguments}
    yield json.dumps(head)[:-1] + ', "models": ['
    for number, model in enumerate(models):
        cells = {name: finite(value) for name, value in zip(MODEL_COLUMNS, _cells(model), strict=True)}
        yield (",\n" if number else "\n") + json.dumps(cells, ensure_ascii=False)
    yield "\n]}\n"


def models_csv(about: str, campaign: Campaign, models: Sequence[WrittenModel]) -> Iterator[str]:
    """Yield a row per model."""
    yield csv_row(MODEL_COLUMNS)
    for model in models:
        yield csv_row(_cells(model))


def models_latex(about: str, campaign: Campaign, models: Sequence[WrittenModel]) -> Iterator[str]:
    """Yield a LaTeX table for a paper; it needs the package longtable."""
    caption = latex_text(about)
    if models:
        caption += f": laws, and predictions at {latex_text(models[0].target)} with their {_INTERVALS}"
    heads = ["kernel", "metric", "law", "predicted", "interval"]
    return latex.table(about, f"{caption}.", "lllrr", heads, map(_latex_row, models))


_INTERVALS = latex_text(INTERVAL) + " intervals"


def _latex_row(model: WrittenModel) -> str:
    row, unit = model.row, model.row.metric.unit
    return latex.row_of(
        [
            latex_text(row.kernel.path),
            latex.with_unit(row.metric.name, unit),
            f"${model.latex}$",
            latex.quantity(row.predicted, unit),
            latex.interval(row.lower, row.upper, unit, row.predicted),
        ]
    )


def kernels_latex(
    about: str, target: str, metric: Metric, campaign: Campaign, rows: Sequence[tuple[KernelRow, str]]
) -> Iterator[str]:
    """Yield a LaTeX table of kernels in one metric at a target, each with its law as LaTeX."""
    caption = (
        f"{latex_text(about)}: {latex.with_unit(metric.name, metric.unit)}, measured at "
        f"{latex_text(target_text(largest_measured(campaign)))} and predicted at {latex_text(target)} with "
        f"{_INTERVALS}."
    )
    heads = ["kernel", "law", "measured", "predicted", "interval", "share"]
    written = (_kernel_row(row, law, metric.unit) for row, law in rows)
    return latex.table(about, caption, "llrrrr", heads, written)


def _kernel_row(row: KernelRow, law: str, unit: str) -> str:
    return latex.row_of(
        [
            latex_text(row.model.path),
            f"${law}$" if law else "--",
            latex.quantity(row.model.largest, unit),
            latex.quantity(row.predicted, unit),
            latex.interval(row.lower, row.upper, unit, row.predicted),
            latex.percent(row.share),
        ]
    )


def models_python(about: str, campaign: Campaign, models: Sequence[WrittenModel]) -> Iterator[str]:
    """Yield a Python module with a function for each kernel and metric, and the metrics' units."""
    known = python_identifiers(campaign.parameters)
    arguments = ", ".join(known[name] for name in campaign.parameters)
    yield f"{f'Laws of {about}: MODELS[kernel, metric]({arguments}).'!r}\n\nfrom math import log2\n\n"
    yield "PARAMETERS = {\n"
    for name in campaign.parameters:
        yield f"    {known[name]!r}: {name!a},\n"
    yield "}\n\nUNITS = {\n"
    for name, unit in {model.row.metric.name: model.row.metric.unit for model in models}.items():
        yield f"    {name!a}: {unit!a},\n"
    yield "}\n\nMODELS = {\n"
    for model in models:
        yield f"    {(model.row.kernel.path, model.row.metric.name)!a}: lambda {arguments}: {model.python},\n"
    yield "}\n"


Writer = Callable[[str, Campaign, Sequence[WrittenModel]], Iterator[str]]

MODELS: dict[str, tuple[str, Writer]] = {
    "json": ("application/json", models_json),
    "csv": ("text/csv; charset=utf-8", models_csv),
    "tex": ("application/x-tex; charset=utf-8", models_latex),
    "py": ("text/x-python; charset=utf-8", models_python),
}
"""Ending of a file with models → its content type, and the function that writes the file."""

VALUES: dict[str, tuple[str, Callable[[Campaign], Iterator[str]]]] = {
    "jsonl": ("application/x-ndjson", values_json_lines),
    "csv": ("text/csv; charset=utf-8", values_csv),
}
"""Ending of a file with values → its content type, and the function that writes the file."""
