"""Downloads of a campaign: its measured values, and its models in forms for further use."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Campaign
from ingest.selectors import series_of
from modeling.engine import latex_text, python_identifiers
from modeling.models import Model
from modeling.selectors.run.targets import target_point
from modeling.storage import arrays
from perfweb.portal.files.exports import Value, csv_row, finite, parameter_columns


@dataclass(frozen=True)
class WrittenModel:
    """A stored law in all notations, and its value at the target of the stored prediction."""

    row: Model
    text: str
    latex: str
    python: str
    value: float


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
    """Yield the laws of these models of one run; rows without a law are left out."""
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
    return [WrittenModel(*each) for each in spelled]


MODEL_COLUMNS = (
    "kernel", "metric", "unit", "better", "law", "python", "growth", "smape", "cross-validated smape",
    "held-out error", "noise", "predicted", "lower", "upper", "formula's value",
)  # fmt: skip


def _cells(model: WrittenModel) -> list[Value]:
    row = model.row
    better = "lower" if row.metric.lower_is_better else "higher"
    return [
        row.kernel.path, row.metric.name, row.metric.unit, better, model.text, model.python, row.growth,
        row.smape, row.cv_smape, row.holdout_error, row.noise, row.predicted, row.lower, row.upper,
        model.value,
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
    yield (
        f"% {' '.join(about.split())}\n"
        + r"\begin{longtable}{lll}"
        + "\n"
        + r"kernel & metric & law \\ \hline"
        + "\n"
    )
    for model in models:
        names = [latex_text(model.row.kernel.path), latex_text(model.row.metric.name)]
        yield rf"{names[0]} & {names[1]} & ${model.latex}$ \\" + "\n"
    yield "\\end{longtable}\n"


def models_python(about: str, campaign: Campaign, models: Sequence[WrittenModel]) -> Iterator[str]:
    """Yield a Python module with a function per kernel and metric, and the parameters of its arguments."""
    known = python_identifiers(campaign.parameters)
    arguments = ", ".join(known[name] for name in campaign.parameters)
    yield f"{f'Laws of {about}: MODELS[kernel, metric]({arguments}).'!r}\n\nfrom math import log2\n\n"
    yield "PARAMETERS = {\n"
    for name in campaign.parameters:
        yield f"    {known[name]!r}: {name!a},\n"
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
"""File formats of models: content type and writer, by the ending of the file."""

VALUES: dict[str, tuple[str, Callable[[Campaign], Iterator[str]]]] = {
    "jsonl": ("application/x-ndjson", values_json_lines),
    "csv": ("text/csv; charset=utf-8", values_csv),
}
"""File formats of values: content type and writer, by the ending of the file."""
