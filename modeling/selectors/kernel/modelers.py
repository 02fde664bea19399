"""The models of one kernel by every modeler. Unfinished or missing ones are fitted now."""

import logging
from dataclasses import replace
from typing import Any

import numpy as np

from ingest.models import Campaign
from ingest.selectors import LawRoles, law_roles
from modeling.engine import ADAPTIVE_MODELER, DEFAULT_MODELER, FAILED, MODELERS, Models, fit, holdout_error
from modeling.engine.fitting import unmodelled
from modeling.models import Model, State
from modeling.selectors.kept import Kept
from modeling.storage import arrays

LOG = logging.getLogger(__name__)

KERNELS_KEPT = 64
"""Limit on the kernels whose fitted models a web process keeps, some kilobytes each."""

EVIDENCE_POINTS = 1000
"""Limit on the points that the evidence modeler fits during a request, in two seconds."""

MOST_VALUES = 1_000_000
"""Limit on the points × repetitions that any modeler fits during a request."""

WHILE_SOMEBODY_WAITS: dict[str, dict[str, Any]] = {ADAPTIVE_MODELER: {"adapts": False}}
"""Options with which modelers take only seconds: no network is adapted."""

_others: Kept[dict[str, Models]] = Kept(KERNELS_KEPT)


def by_modeler(
    model: Model, modeler: str, campaign: Campaign, values: arrays.FloatArray
) -> dict[str, Models]:
    """Return the models of a kernel with these values, by modeler, in the order of `MODELERS`.

    `modeler` made `model`. Models of finished runs are preferred, because they use the noise of all kernels.
    Modelers that take too long are left out.
    """
    others = _others.get(model.pk, lambda: _fitted(campaign, values, without=modeler))
    stored = {row.run.modeler: _loaded(row, campaign) for row in _stored(model)}
    found = others | stored | {modeler: _loaded(model, campaign)}
    return {name: found[name] for name in MODELERS if name in found}


def _loaded(row: Model, campaign: Campaign) -> Models:
    models = arrays.models_load([row], campaign)
    return replace(models, method=np.array([row.method])) if row.method else models


def _stored(model: Model) -> list[Model]:
    """Return the kernel's models of the campaign's other finished runs."""
    rows = Model.objects.filter(
        kernel=model.kernel_id, metric=model.metric_id, run__campaign=model.run.campaign_id,
        run__state=State.DONE, run__revision=model.run.revision,
    ).exclude(run=model.run_id)  # fmt: skip
    return list(rows.exclude(status=FAILED).select_related("run"))


def _fitted(campaign: Campaign, values: arrays.FloatArray, without: str) -> dict[str, Models]:
    points, one = np.array(campaign.points, float), values[None]
    names = [name for name in MODELERS if name != without and _quick(name, points, values.size)]
    roles = law_roles(campaign)
    return {name: _fit(points, one, name, roles) for name in names}


def _quick(modeler: str, points: arrays.FloatArray, values: int) -> bool:
    """Return whether a modeler takes at most a few seconds for one kernel."""
    few = len(points) <= EVIDENCE_POINTS
    return values <= MOST_VALUES and (few or modeler != DEFAULT_MODELER)


def _fit(points: arrays.FloatArray, values: arrays.FloatArray, modeler: str, roles: LawRoles) -> Models:
    """Return the models of one modeler; if it fails, models without laws."""
    try:
        return _held_out(points, values, modeler, roles)
    except Exception:  # the page shows the other modelers
        LOG.exception("The modeler %s could not model one kernel.", modeler)
        return unmodelled(points, len(values), modeler=modeler)


def _held_out(points: arrays.FloatArray, values: arrays.FloatArray, modeler: str, roles: LawRoles) -> Models:
    """Return models with their holdout error, by a second fit if the modeler gives none."""
    options = WHILE_SOMEBODY_WAITS.get(modeler, {})
    models = fit(points, values, modeler=modeler, **roles, **options)
    if not np.isnan(models.holdout_error).all():
        return models
    return replace(
        models,
        holdout_error=holdout_error(points, values, modeler=modeler, processes=roles["processes"], **options),
    )
