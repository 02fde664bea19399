"""The program as the sum of its functions' models, each by the parameters on which the function depends."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.models import Campaign, Metric
from modeling.engine import FloatArray, Models, fit_program
from modeling.selectors.plans.joined import joined_load
from modeling.selectors.plans.profiles import Terms, plain_name
from modeling.selectors.run.rows import RunRows

FUNCTIONS = 32
"""Limit on the kernels in the sum, largest first. They take a page about a second."""


@dataclass(frozen=True)
class ProgramTotal:
    """The sum at a target, with its 95 % interval in the metric's unit.

    `functions` is the number of kernels in the sum. `share` is their share of the total at the largest point,
    in which the `unmeasured` kernels have no value.
    """

    predicted: float
    lower: float
    upper: float
    functions: int
    share: float
    unmeasured: int


def program_total(
    loaded: RunRows,
    campaigns: list[Campaign],
    metric: Metric,
    functions: Mapping[str, Terms],
    target: FloatArray,
) -> ProgramTotal | None:
    """Return the sum of the largest kernels of the total at a target; None if it is unknown or not finite.

    An unknown function is modelled by all parameters. The sum is cached with the rows.
    """
    stored = tuple((campaign.pk, campaign.revision) for campaign in campaigns)
    told = frozenset((name, frozenset(found)) for name, found in functions.items())
    made: ProgramTotal | None = loaded.derived.get(
        ("program", stored, told, *target.tolist()),
        lambda: _program_total(loaded, campaigns, metric, functions, target),
    )
    return made


def _program_total(
    loaded: RunRows,
    campaigns: list[Campaign],
    metric: Metric,
    functions: Mapping[str, Terms],
    target: FloatArray,
) -> ProgramTotal | None:
    counted = [at for at, row in enumerate(loaded.rows) if row.counts_to_total and row.largest]
    heavy = sorted(counted, key=lambda at: -(loaded.rows[at].largest or 0.0))[:FUNCTIONS]
    if not heavy:
        return None
    some = sorted(heavy)
    known = joined_load(campaigns, metric, loaded.kernels[some].tolist())
    names = loaded.campaign.parameters
    terms = {plain_name(name): found for name, found in functions.items()}
    depends_on = [
        frozenset().union(*terms.get(plain_name(loaded.rows[at].name), frozenset([frozenset(names)])))
        for at in some
    ]
    program = fit_program(known.points, known.values, depends_on, names, _stored(loaded, campaigns, some))
    predicted, lower, upper = (float(array[0]) for array in program.total(target[None]))
    if not np.isfinite([predicted, lower, upper]).all():
        return None
    share = _measured(loaded, some) / _measured(loaded, counted)
    unmeasured = sum(row.counts_to_total and row.largest is None for row in loaded.rows)
    return ProgramTotal(predicted, lower, upper, len(some), share, unmeasured)


def _measured(loaded: RunRows, some: list[int]) -> float:
    """Return the sum of some kernels' values at the largest point."""
    return sum(loaded.rows[at].largest or 0.0 for at in some)


def _stored(loaded: RunRows, campaigns: list[Campaign], some: list[int]) -> Models | None:
    """Return the stored models of some rows; None with further campaigns, or without posteriors."""
    if len(campaigns) > 1:
        return None
    models = loaded.weighed(np.array(some))
    return models if models.posterior is not None else None
