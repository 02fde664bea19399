"""The adaptive modeler (Ritter et al. 2021): regression if the noise is low, and a neural network.

The network is adapted to the campaign's points, repetitions and noise. It gives a probability to each
exponent pair of each parameter, and `hypotheses` chooses a law. If the noise is low or the regression's law
falls, cross-validation chooses between the network's law and the regression's law. Otherwise the network's
law is used.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from modeling.engine.laws.terms import evaluate
from modeling.engine.measured.observations import Observations, observe
from modeling.engine.measured.repetitions import AGGREGATES
from modeling.engine.modelers.adaptive.adaptation import ADAPTED, network_for
from modeling.engine.modelers.adaptive.apart import Watch
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.adaptive.fits import cross_validated
from modeling.engine.modelers.adaptive.hypotheses import best_laws
from modeling.engine.modelers.adaptive.inputs import FEWEST, MOST, network_inputs
from modeling.engine.modelers.adaptive.network import Network, pretrained
from modeling.engine.modelers.adaptive.noise import noise_width
from modeling.engine.modelers.adaptive.task import Task, noise_range
from modeling.engine.modelers.assessment import assess, holdout_error
from modeling.engine.modelers.regression import Regression
from modeling.engine.modelers.term_modeler import falls
from modeling.engine.results.common import Common
from modeling.engine.results.models import Models, join
from modeling.engine.validation import BoolArray, FloatArray, IntArray

THRESHOLDS = {1: 0.02, 2: 0.05, 3: 0.4}
"""Smallest width of the noise, by the number of parameters, at which the law of an adapted network is used
without cross-validation. With less noise, and for falling kernels, cross-validation chooses between the laws
of the network and of the regression. More than three parameters have the threshold of three.

From these widths on, the network alone is about as good as cross-validation, or better. The measure is the
share of functions with all lead exponents within 1/4 of the truth. The network's share minus that of
cross-validation, in percentage points, is (`tests/benchmarks/adaptive_thresholds.py`):

- with one parameter −0.2 ± 0.2 at 2 % of noise, and 2.8 ± 0.3 at 5 %;
- with two parameters −2.6 ± 0.6 at 2 %, and 0.4 ± 0.6 at 5 %;
- with three parameters −1.4 ± 0.7 at 20 %, and 0.6 ± 0.6 at 50 %.
"""

THRESHOLDS_AS_SHIPPED = {1: 0.2, 2: 0.1, 3: np.inf}
"""The thresholds of a network that is not adapted.

With one parameter, the network alone has more right exponents than cross-validation above 10 % of noise. But
its median errors at the fourth value beyond the measured range are smaller only above 45 %. With three
parameters cross-validation is better at all widths up to 100 %.
"""

NOT_ASKED_TO = "not adapted: that was to take no time"
NETWORK = "network"
REGRESSION = "regression"
FEW_VALUES = "regression: the network takes at least 5 values of each parameter along lines"
MANY_VALUES = "regression: the network takes at most 11 values of each parameter"
NO_REPETITIONS = "regression: without repetitions the noise is unknown"
NOT_POSITIVE = "regression: the network takes positive values"
"""Values of `Models.method`, which says which modeler found a kernel's law. `NETWORK` is followed by the
reason if the network is not adapted. `REGRESSION` says that cross-validation chose the regression's law. The
last four say why the network could not be used.
"""

VALUES_AT_ONCE = 100_000
"""The largest number of values, kernels times points, that are modelled together. It limits memory."""


class Adaptive:
    """The published adaptive method.

    Args:
        points: the values of m parameters at P points, (P, m).
        aggregate: "mean", "median" or "minimum" of a point's repetitions. The paper takes the median. With
            the mean, the error at the fourth value beyond the measured range falls from 9.1 to 7.0 % at 50 %
            of noise.
        adapts: whether the network is adapted to the task, if the extra is installed.
        threshold: smallest width of the noise at which the network's law is used without cross-validation;
            None means the usual thresholds.
        watch: a callback for the finished share of the adaptation, see `apart.Watch`.
    """

    def __init__(
        self,
        points: FloatArray,
        *,
        aggregate: str = "mean",
        adapts: bool = True,
        threshold: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        if aggregate not in AGGREGATES:
            raise ValueError(f"aggregate: found {aggregate!r}, expected one of {', '.join(AGGREGATES)}")
        self.points = points
        self.aggregate = aggregate
        self.adapts = adapts
        self.watch = watch
        self.threshold = threshold
        self.regression = Regression(points, aggregate=aggregate)
        self.varied = self.regression.varied

    @property
    def kernels_at_once(self) -> int:
        """The number of kernels that are modelled together, which limits memory."""
        return max(128, VALUES_AT_ONCE // len(self.points))

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model K kernels from R repetitions at P points, (K, P, R). The network is adapted to the noise and
        repetitions in `common`, or to the noise and repetitions of these kernels.
        """
        observations = observe(self.points, values, self.aggregate)
        shared = common if common is not None and common.repetitions else _common(values)
        reasons = self._reasons(observations)
        asked, others = np.flatnonzero(reasons == ""), np.flatnonzero(reasons != "")
        parts = []
        if len(asked):
            parts.append(self._by_network(observations.part(asked), noise_width(values[asked]), shared))
        if len(others) or not len(asked):
            parts.append(replace(self.regression(values[others]), method=reasons[others]))
        places = [some for some in (asked, others) if len(some)] or [others]
        return join([replace(part, common=shared) for part in parts], places)

    def _by_network(self, observations: Observations, noise: FloatArray, known: Common) -> Models:
        """Model the kernels for which the network can be used. `noise` is the width of their noise."""
        held_out = observations.without_largest()
        network, how = self._network(known)
        loud = noise >= self._threshold(adapted=how == ADAPTED)
        chosen, from_network = self._choose(observations, network, loud)
        without, _ = self._choose(held_out, network, loud)
        models = assess(
            observations,
            chosen,
            holdout_error=holdout_error(observations, held_out, without, relative=True),
            value_counts=np.stack([axis.value_counts(observations.w) for axis in self.varied]),
            relative=True,
        )
        by_network = NETWORK if how == ADAPTED else f"{NETWORK}, {how}"
        return replace(models, method=np.where(from_network, by_network, REGRESSION).astype(LONGEST_METHOD))

    def _network(self, known: Common) -> tuple[Network, str]:
        """Return the network, and either `ADAPTED` or the reason why it is not adapted."""
        if not self.adapts:
            return pretrained(), NOT_ASKED_TO
        task = Task(
            points=tuple(map(tuple, self.points.tolist())),
            repetitions=known.repetitions,
            lowest_noise=known.noise_range[0],
            highest_noise=known.noise_range[1],
            aggregate=self.aggregate,
        )
        return network_for(task, self.watch)

    def _threshold(self, *, adapted: bool) -> float:
        if self.threshold is not None:
            return self.threshold
        thresholds = THRESHOLDS if adapted else THRESHOLDS_AS_SHIPPED
        return thresholds[min(self.points.shape[1], max(thresholds))]

    def _choose(
        self, observations: Observations, network: Network, loud: BoolArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return the exponents of each kernel's law, and whether the law is the network's."""
        exponents = self._regressed(observations, np.flatnonzero(~loud | self._falls(observations)))
        laws = best_laws(self._probabilities(network, observations), observations)
        from_network = np.ones(len(loud), bool)
        rivals = np.flatnonzero(~loud | (exponents < 0).any(axis=(1, 2, 3)))
        from_network[rivals] = laws.cv_smape[rivals] <= _error(exponents[rivals], observations.part(rivals))
        exponents[from_network] = laws.exponents[from_network]
        return exponents, from_network

    def _regressed(self, observations: Observations, kernels: IntArray) -> FloatArray:
        """Return the exponents of the regression's laws of these kernels, 0 for all others."""
        m = self.points.shape[1]
        exponents = np.zeros((len(observations.scale), m, m, 2))
        if len(kernels):
            exponents[kernels] = self.regression.select(observations.part(kernels))
        return exponents

    def _falls(self, observations: Observations) -> BoolArray:
        """Return which kernels have values that fall along any parameter. The network knows no such laws."""
        falling = np.zeros(len(observations.scale), bool)
        for axis in self.varied:
            falling |= falls(axis.x, *axis.average(observations.y, observations.w))
        return falling

    def _reasons(self, observations: Observations) -> NDArray[np.str_]:
        """Return why the network cannot be used for each kernel, or an empty text if it can be used."""
        counts = np.stack([axis.value_counts(observations.w) for axis in self.varied])
        few, many = (counts < FEWEST).any(axis=0), max(len(axis.x) for axis in self.varied) > MOST
        positive = ((observations.y > 0) | (observations.w == 0)).all(axis=0)
        reasons = np.select(
            [np.broadcast_to(many & ~few, positive.shape), few, ~positive, np.isnan(observations.noise)],
            [MANY_VALUES, FEW_VALUES, NOT_POSITIVE, NO_REPETITIONS],
            "",
        )
        return reasons.astype(LONGEST_METHOD)

    def _probabilities(self, network: Network, observations: Observations) -> FloatArray:
        """Return the probabilities of the classes. A parameter with a single value gets the constant."""
        axes = self.regression.axes
        probabilities = np.zeros((len(axes), len(observations.scale), len(CLASSES)))
        for parameter, axis in enumerate(axes):
            if len(axis.x) > 1:
                series = axis.average(observations.y, observations.w)
                probabilities[parameter] = network.probabilities(network_inputs(axis.x, *series))
            else:
                probabilities[parameter, :, 0] = 1.0
        return probabilities


def _error(exponents: FloatArray, observations: Observations) -> FloatArray:
    """Return the cross-validated SMAPE of laws with these exponents."""
    terms = np.moveaxis(evaluate(exponents, observations.points), 0, 2)
    used = (exponents != 0).any(axis=(2, 3)).T[:, None]
    return cross_validated(np.where(used, terms, 0.0), observations)


LONGEST_METHOD = f"<U{max(map(len, (FEW_VALUES, MANY_VALUES, NO_REPETITIONS, NOT_POSITIVE))) + 40}"


def _common(values: FloatArray) -> Common:
    """Return the range of noise and the number of repetitions of the kernels."""
    counts = np.isfinite(values).sum(axis=2)
    repetitions = int(np.median(counts[counts > 0])) if counts.any() else 1
    return Common(
        by_scatter=(), noise_range=noise_range(values), repetitions=min(repetitions, MOST_REPETITIONS)
    )


MOST_REPETITIONS = 10
"""The largest number of repetitions in examples. With more, means and medians hardly change."""
