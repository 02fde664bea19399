"""Fit the models of a portion's kernels. An error of one kernel does not affect the others."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db import DatabaseError
from numpy.typing import NDArray

from ingest.models import Kernel
from ingest.selectors import law_roles
from modeling.engine import (
    ADAPTIVE_MODELER,
    Common,
    Models,
    fit,
    fit_profiled,
    holdout_error,
)
from modeling.models import ModelRun, Portion
from modeling.selectors.application.dependencies import influences, meetings, profile_of_run
from modeling.selectors.run.targets import target_point
from modeling.services.models.adapting import UnwantedError, followed
from modeling.services.work.bisection import Failure, Kernels, bisected
from modeling.services.work.failures import details
from modeling.services.work.time_limit import TimeLimitError
from modeling.storage import arrays, model_rows

PORTION_ENDS = (TimeLimitError, DatabaseError, UnwantedError)
"""Exceptions that end the work on a portion, because single kernels do not cause them."""


@dataclass(frozen=True)
class Fitted:
    """The result of a portion: `modelled` has the columns of the table of models for each group of kernels.

    `failed` are the kernels without models, and `failures` the reasons. `common` are the properties that all
    kernels share.
    """

    modelled: list[model_rows.Columns]
    failed: model_rows.Columns | None
    failures: list[Failure]
    common: Common | None


def fitted(portion: Portion) -> Fitted:
    """Model a portion's kernels.

    Raises:
        TimeLimitError: the portion takes too long.
        DatabaseError: the values cannot be loaded now.
        UnwantedError: the models are no longer wanted.
    """
    run, campaign = portion.run, portion.run.campaign
    order = np.argsort(portion.kernels)
    kernels = np.array(portion.kernels, np.int64)[order]
    in_total = np.array(portion.in_total, bool)[order]
    target = target_point(run.target, campaign)
    common = Common.from_json(portion.common) if portion.common else None
    options: dict[str, Any] = {"common": common, **law_roles(campaign)}
    if run.modeler == ADAPTIVE_MODELER:
        options["watch"] = followed(portion)
    known = _known_of(run, kernels)

    def work(some: Kernels) -> tuple[model_rows.Columns, Common | None]:
        series = arrays.series_load(campaign, portion.metric_id, kernels[some].tolist())
        if known is None:
            models = _fit(series, run.modeler, options)
        else:
            depends_on, meet = (each[some] for each in known)
            models = fit_profiled(series.points, series.values, depends_on, meet, **options)
        columns = model_rows.modelled(series, models, campaign.parameters, in_total[some], target)
        return columns, models.common

    groups, failures = bisected(np.arange(len(kernels)), work, escaping=PORTION_ENDS)
    lost = np.array([failure.kernel for failure in failures], np.int64)
    return Fitted(
        modelled=[columns for _, (columns, _) in groups],
        failed=_failed(portion, kernels[lost], in_total[lost], failures) if failures else None,
        failures=failures,
        common=next((shared for _, (_, shared) in groups if shared), None),
    )


def failed(portion: Portion, reason: str) -> Fitted:
    """Return the result of a portion in which no kernel can be modelled, for this reason."""
    kernels, in_total = np.array(portion.kernels, np.int64), np.array(portion.in_total, bool)
    failures = [Failure(number, reason, "") for number in range(len(kernels))]
    return Fitted([], _failed(portion, kernels, in_total, failures), failures, None)


def _failed(
    portion: Portion, kernels: NDArray[np.int64], in_total: NDArray[np.bool_], failures: list[Failure]
) -> model_rows.Columns:
    reasons = [f"{each.reason[:1].upper()}{each.reason[1:]}. {details()}" for each in failures]
    try:
        series = arrays.series_load(portion.run.campaign, portion.metric_id, kernels.tolist())
    except DatabaseError:
        raise
    except Exception:  # noqa: BLE001 -- loading may have been what failed
        series = arrays.nothing_of(portion.run.campaign, kernels)
    return model_rows.failed(series, portion.run.modeler, in_total, reasons)


def _known_of(
    run: ModelRun, kernels: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Return the parameters of each kernel, and the pairs that act together, by the stored profile.

    The result is None if the profile excludes nothing.
    """
    stored = profile_of_run(run)
    if stored is None:
        return None
    found = dict(Kernel.objects.filter(pk__in=kernels.tolist()).values_list("pk", "path"))
    about = stored, [found[kernel] for kernel in kernels.tolist()], run.campaign.parameters
    depends_on, meet = influences(*about), meetings(*about)
    return None if depends_on.all() and meet.all() else (depends_on, meet)


def _fit(series: arrays.SeriesArrays, modeler: str, options: dict[str, Any]) -> Models:
    """Return the fitted models with their holdout errors, by a second fit if the modeler gives none."""
    points, values = series.points, series.values
    models = fit(points, values, modeler=modeler, **options)
    if not np.isnan(models.holdout_error).all():
        return models
    own = {name: option for name, option in options.items() if name not in {"common", "first"}}
    return replace(models, holdout_error=holdout_error(points, values, modeler=modeler, **own))
