"""The scaling models of many kernels, as plain arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.joining import in_turn, put_together
from modeling.engine.laws import formulas, growth
from modeling.engine.laws.identifiers import identifiers
from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate
from modeling.engine.results.common import Common
from modeling.engine.results.posterior import Posterior, between, join_posteriors, nearest
from modeling.engine.results.region import Region, join_regions
from modeling.engine.results.segments import Segments
from modeling.engine.validation import (
    BoolArray,
    FloatArray,
    IntArray,
    check_evaluation_points,
    check_level,
    check_names,
)

OK = "ok"
FEW_VALUES = "few values"
"""A parameter has fewer values than a reliable law needs."""
NO_CROSSED_POINTS = "no crossed points"
"""No two parameters were varied at once. Then sums and products of terms are hardly distinguishable."""
TOO_FEW_VALUES = "too few values"
"""No parameter has enough values for a law. The model is the mean of the values."""
MISFIT = "does not fit"
"""The law is far from the points to which it was fitted; see `questions.trust`."""
NO_DATA = "no data"
FAILED = "failed"
"""The modeler crashed."""

SEGMENTED = "segmented"
"""The kernel has several laws along one parameter; see `Models.segments`."""

_PER_CAMPAIGN = ("lower", "upper", "posterior", "segments", "common", "region")


@dataclass(frozen=True)
class Models:
    """The laws of K kernels: constant + Σ_t coefficient[t] · Π_l x[l]^i[t, l] · log2(x[l])^j[t, l].

    There are T terms t and m parameters x[l]. Terms with coefficients and exponents of 0 fill shorter laws.
    Errors and noise are fractions. NaN means unknown.
    """

    constant: FloatArray  # (K,)
    coefficients: FloatArray  # (K, T)
    exponents: FloatArray  # (K, T, m, 2): i and j
    covariance: FloatArray  # (K, T+1, T+1) of (constant, coefficients)
    degrees_of_freedom: IntArray  # (K,)
    status: NDArray[np.str_]  # (K,), "ok" or one of the statuses above
    points_used: IntArray  # (K,)
    smape: FloatArray  # (K,) of the points to which the law was fitted, 0 to 2
    relative_error: FloatArray  # (K,) mean over these points
    r_squared: FloatArray  # (K,)
    rss: FloatArray  # (K,) residual sum of squares
    cv_smape: FloatArray  # (K,) SMAPE if each point is predicted by the same terms, fitted to the others
    holdout_error: FloatArray  # (K,) relative error at the largest point, of the law found without it
    noise: FloatArray  # (K,) noise level, see `measured.repetitions.Noise`
    lower: FloatArray  # (m,) smallest value of each parameter in the campaign
    upper: FloatArray  # (m,) largest value of each parameter in the campaign
    posterior: Posterior | None = None  # if there is one, all predictions come from it
    leads: FloatArray | None = None  # (K, m, 2) most probable exponents of lead terms
    segments: "Segments[Models] | None" = None  # all segments but the last; other fields are for the last
    method: NDArray[np.str_] | None = None  # (K,) how the adaptive modeler found each law
    common: Common | None = None  # properties shared with the campaign's other kernels; not stored
    region: Region | None = None  # where each kernel was measured; None: everywhere between lower and upper

    def __len__(self) -> int:
        return len(self.constant)

    def part(self, kernels: IntArray) -> "Models":
        """Return only these kernels."""
        some = {
            field.name: getattr(self, field.name)[kernels]
            for field in fields(self)
            if field.name not in _PER_CAMPAIGN and getattr(self, field.name) is not None
        }
        posterior = None if self.posterior is None else self.posterior.part(kernels)
        segments = None if self.segments is None else self.segments.part(kernels)
        region = None if self.region is None else self.region.part(kernels)
        return replace(self, **some, posterior=posterior, segments=segments, region=region)

    def with_fewer_draws(self, step: int) -> "Models":
        """Return these models with every `step`-th draw of their posterior."""
        if self.posterior is None:
            return self
        segments = self.segments
        if segments is not None:
            segments = replace(segments, models=segments.models.with_fewer_draws(step))
        return replace(self, posterior=self.posterior.every(step), segments=segments)

    def predict(self, points: ArrayLike, draws: FloatArray | None = None) -> FloatArray:
        """Return predictions at Q points of m parameters (Q, m), as (K, Q).

        With a posterior, predictions are `posterior.nearest` of the draws. `draws` has the draws at these
        points (`Models.draws`) if they are known already. A kernel measured at only one of the campaign's
        points has its formula as prediction.

        Raises:
            ValueError: points of another shape, or values that are not positive and finite.
        """
        if self.posterior is not None:
            drawn = self.draws(points) if draws is None else draws
            return self._lone_by_law(points, nearest(drawn, self._spread_evenly))
        return self.law(points)

    def law(self, points: ArrayLike) -> FloatArray:
        """Return the values of the formulas at Q points (Q, m), as (K, Q). Exceptions: see `predict`."""
        return self._by_segment(points, Models._predicted)

    def draws(self, points: ArrayLike) -> FloatArray:
        """Return S draws at Q points (Q, m), as (K, S, Q); the formula without a posterior."""
        if self.posterior is None:
            return self.predict(points)[:, None]
        return self._by_segment(points, Models._drawn)

    @cached_property
    def measured(self) -> Region:
        """The region in which each kernel was measured."""
        if self.region is not None:
            return self.region
        return Region.everywhere(self.lower, self.upper, len(self))

    def unknown(self, points: ArrayLike) -> BoolArray:
        """Return whether nothing is known about each kernel at Q points (Q, m), as (K, Q).

        This is so where a point breaks the relations of the kernel's measured points.
        """
        return np.asarray(self.measured.broken(self._checked(points)).any(axis=2))

    def interval(self, points: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return both bounds of the law's interval at Q points (Q, m), (K, Q) each.

        With a posterior, bounds are quantiles of its draws. At levels above 98 %, they are the extreme draws.
        Without a posterior, bounds come from Student's t distribution. They are valid only if the law has the
        right terms, and NaN without degrees of freedom. All bounds are NaN where nothing is known
        (`unknown`).

        Raises:
            ValueError: as in `predict`, or a level that is not between 0 and 1.
        """
        check_level(level)
        if self.posterior is not None:
            return self._where_known(points, *between(self.draws(points), level))
        bounds = self._by_segment(points, lambda models, at: models._law_bounds(at, level))
        return self._where_known(points, bounds[:, 0], bounds[:, 1])

    def estimates(self, points: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the results of `predict` and `interval` at Q points (Q, m) in one call, (K, Q) each.

        Raises:
            ValueError: as in `interval`.
        """
        if self.posterior is None:
            return self.predict(points), *self.interval(points, level)
        check_level(level)
        draws = self.draws(points)
        predicted = self._lone_by_law(points, nearest(draws, self._spread_evenly))
        return predicted, *self._where_known(points, *between(draws, level))

    def prediction_interval(self, points: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return both bounds of the interval of one new repetition at Q points (Q, m), (K, Q) each.

        It contains the law's interval. Without a posterior, two variances are added to the law's variance.
        Repetitions scatter around their point with the relative standard deviation n / √12 for the noise
        level n. Points scatter around the law with √(π/2) times the mean relative error, corrected for
        degrees of freedom.

        Raises:
            ValueError: as in `interval`.
        """
        check_level(level)
        if self.posterior is not None:
            drawn = self._by_segment(points, Models._drawn_with_runs)
            parts = np.split(drawn, [self._known.law.shape[1]], axis=1)
            law, runs = (between(part, level) for part in parts)
            # With few draws the tails are coarse, so the ends could lie inside those of the law's interval.
            return self._where_known(points, np.minimum(law[0], runs[0]), np.maximum(law[1], runs[1]))
        bounds = self._by_segment(points, lambda models, at: models._run_bounds(at, level))
        return self._where_known(points, bounds[:, 0], bounds[:, 1])

    @cached_property
    def lead_exponents(self) -> FloatArray:
        """Lead exponents (i, j) of each kernel and parameter, (K, m, 2); 0 if no term contains the parameter.

        Unless `leads` are known, lead terms are determined at `LEAD_MULTIPLE` times the largest values.
        """
        if self.leads is not None:
            return self.leads
        return growth.lead_exponents(self._lead_contributions, self.exponents)

    @cached_property
    def growth(self) -> NDArray[np.str_]:
        """Class of growth of each kernel's fastest growing parameter, (K,), from `growth.CLASSES`."""
        leads = growth.signed_leads(self._lead_contributions, self.exponents)
        identifiable = ~np.isin(self.status, (NO_DATA, TOO_FEW_VALUES, FAILED))
        return growth.classes(leads, identifiable)

    def terms(self, names: Sequence[str]) -> list[list[dict[str, Any]]]:
        """Return the terms of each law as values for JSON.

        A term is {"coefficient": c, "factors": [{"parameter": "p", "exponent": "1/3", "log": 1}]}.

        Raises:
            ValueError: the numbers of names and of parameters differ.
        """
        return [
            [
                {
                    "coefficient": coefficient,
                    "factors": [
                        {"parameter": name, "exponent": str(i), "log": int(j) if j == int(j) else str(j)}
                        for name, i, j in factors
                    ],
                }
                for coefficient, factors in law.terms
            ]
            for law in self._laws(names)
        ]

    def expressions(self, names: Sequence[str]) -> list[str]:
        """Return formulas for people, like "8.51 + 0.11·p^(1/3)·n". Exceptions: see `terms`."""
        return self._written(names, formulas.TEXT)

    def latex(self, names: Sequence[str]) -> list[str]:
        """Return formulas for LaTeX's mathematics mode. Exceptions: see `terms`."""
        return self._written(names, formulas.LATEX)

    def python(self, names: Sequence[str]) -> list[str]:
        """Return formulas for Python with all digits and with `identifiers`. Exceptions: see `terms`."""
        by_name = identifiers(names)
        return self._written([by_name[name] for name in names], formulas.PYTHON)

    def _written(self, names: Sequence[str], style: formulas.Style) -> list[str]:
        """Return the formula of each kernel. A segmented kernel has one law for each range."""
        written = formulas.render(self._laws(names), style)
        if self.segments is None:
            return written
        earlier = self.segments.models._written(names, style)
        for kernel, rows in self.segments.by_kernel():
            name = style.name(names[self.segments.parameter[rows[0]]])
            cases = [*(earlier[row] for row in rows), written[kernel]]
            written[kernel] = style.cases(cases, name, self.segments.boundary[rows].tolist())
        return written

    def _laws(self, names: Sequence[str]) -> list[formulas.Law]:
        check_names(names, self.exponents.shape[2])
        return formulas.laws(self.constant, self.coefficients, self.exponents, names)

    @property
    def _lead_contributions(self) -> FloatArray:
        """Values of the terms with their coefficients, far beyond the largest measured values."""
        return self.coefficients * self._terms(LEAD_MULTIPLE * self.upper[None])[:, :, 0]

    def _checked(self, points: ArrayLike) -> FloatArray:
        return check_evaluation_points(points, self.exponents.shape[2])

    def _terms(self, points: ArrayLike) -> FloatArray:
        """Return the values of the terms without coefficients, (kernels, terms, points)."""
        return evaluate(self.exponents, self._checked(points))

    def _by_segment(self, points: ArrayLike, ask: Callable[["Models", FloatArray], FloatArray]) -> FloatArray:
        """Return the results of `ask` from the models of each point's segment."""
        checked = self._checked(points)
        values = ask(self, checked)
        if self.segments is not None:
            self.segments.put(values, checked, ask)
        return values

    def _drawn(self, points: FloatArray) -> FloatArray:
        """Return the values of the posterior's draws, (kernels, draws, points)."""
        return self._known.values(points)

    def _drawn_with_runs(self, points: FloatArray) -> FloatArray:
        """Return the values of the draws, then draws of new repetitions (see `Posterior.with_runs`)."""
        return self._known.with_runs(points)

    @property
    def _known(self) -> Posterior:
        if self.posterior is None:
            raise ValueError("models: found segments without a posterior, expected one as of the other laws")
        return self.posterior

    @property
    def _spread_evenly(self) -> BoolArray:
        """Whether the log draws of each kernel lie evenly on both sides of their median."""
        lone = np.asarray(self.points_used == 1)
        deviates = self._known.deviates
        return lone if deviates is None else lone | deviates

    def _lone_by_law(self, points: ArrayLike, predicted: FloatArray) -> FloatArray:
        """Replace the predictions of kernels measured at only one of several points by their formulas."""
        lone = (self.points_used == 1) & (self.lower < self.upper).any()
        return np.where(lone[:, None], self.law(points), predicted) if lone.any() else predicted

    def _where_known(self, points: ArrayLike, *bounds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Replace bounds by NaN where nothing is known."""
        unknown = self.unknown(points)
        lower, upper = (np.where(unknown, np.nan, bound) for bound in bounds)
        return lower, upper

    def _predicted(self, points: FloatArray) -> FloatArray:
        """Return the values of the formulas, ignoring earlier segments."""
        return np.asarray(
            self.constant[:, None] + np.einsum("kt,ktq->kq", self.coefficients, self._terms(points))
        )

    def _law_bounds(self, points: FloatArray, level: float) -> FloatArray:
        """Return the law's interval from the covariance of its coefficients, (kernels, 2, points)."""
        return self._around(self._predicted(points), self._variance(points), level)

    def _run_bounds(self, points: FloatArray, level: float) -> FloatArray:
        """Return the interval of a new repetition, (kernels, 2, points)."""
        predicted = self._predicted(points)
        with np.errstate(over="ignore"):  # values too large for a number become infinite
            variance = self._variance(points) + (self._run_deviation()[:, None] * predicted) ** 2
        return self._around(predicted, variance, level)

    def _variance(self, points: FloatArray) -> FloatArray:
        terms = self._terms(points)
        ones = np.ones((len(terms), 1, terms.shape[2]))  # the constant's column
        columns = np.concatenate([ones, terms], axis=1)
        with np.errstate(invalid="ignore"):  # values near the largest numbers have no finite variance
            return np.asarray(np.einsum("kaq,kaq->kq", columns, self.covariance @ columns))

    def _run_deviation(self) -> FloatArray:
        """Return the standard deviation of a repetition around the law, relative to the law."""
        unbiased = np.sqrt(self.points_used / np.maximum(self.degrees_of_freedom, 1))
        of_points = self.relative_error * np.sqrt(np.pi / 2) * unbiased
        return np.asarray(np.hypot(of_points, np.nan_to_num(self.noise) / np.sqrt(12)))

    def _around(self, predicted: FloatArray, variance: FloatArray, level: float) -> FloatArray:
        from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of a web process's start-up time

        freedom = self.degrees_of_freedom
        quantile = stdtrit(np.maximum(freedom, 1), (1 + level) / 2)
        half = np.where(freedom > 0, quantile, np.nan)[:, None] * np.sqrt(np.maximum(variance, 0.0))
        return np.stack([predicted - half, predicted + half], axis=1)


def join(parts: Sequence[Models], places: Sequence[IntArray] | None = None) -> Models:
    """Join the models of several groups of kernels that were measured at the same points.

    `places` are the indices of each group's kernels among all. Without them, the groups follow each other.
    """
    if len(parts) == 1 and places is None:
        return parts[0]
    if places is None:
        places = in_turn(list(map(len, parts)))
    joined: dict[str, Any] = {
        field.name: put_together([getattr(part, field.name) for part in parts], places)
        for field in fields(Models)
        if field.name not in _PER_CAMPAIGN and getattr(parts[0], field.name) is not None
    }
    if parts[0].posterior is not None:
        joined["posterior"] = join_posteriors([part.posterior for part in parts if part.posterior], places)
    first = parts[0]
    same = first.common if all(part.common == first.common for part in parts) else None
    segments = _join_segments(parts, places)
    region = None
    if any(part.region is not None for part in parts):
        region = join_regions([part.measured for part in parts], places)
    return Models(
        **joined, segments=segments, common=same, region=region, lower=first.lower, upper=first.upper
    )


def _join_segments(parts: Sequence[Models], places: Sequence[IntArray]) -> Segments[Models] | None:
    """Join the segments of several groups of kernels, see `join`; None if there are none."""
    segmented = [(part.segments, place) for part, place in zip(parts, places, strict=True) if part.segments]
    if not segmented:
        return None
    joined = {
        field.name: np.concatenate([getattr(segments, field.name) for segments, _ in segmented])
        for field in fields(Segments)
        if field.name not in {"kernel", "models"}
    }
    kernel = np.concatenate([place[segments.kernel] for segments, place in segmented])
    whole = Segments(kernel=kernel, models=join([segments.models for segments, _ in segmented]), **joined)
    return whole.part(np.arange(sum(map(len, parts))))
