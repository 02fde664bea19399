"""Growth that all kernels of a comparison share is told apart from their own changes."""

import numpy as np
import pytest

from modeling.engine import Changes, compare, compare_common
from modeling.engine.laws.synthetic import measure, random_functions
from modeling.engine.validation import FloatArray
from tests.modeling.engine.changes.measured_twice import LINE, PLANE, compared


class TestSharedGrowth:
    """What all kernels share is the machine's as long as it is one factor."""

    def changes(self, factor: FloatArray, points: FloatArray = LINE) -> Changes:
        rng = np.random.default_rng(3)
        truth = random_functions(40, points.shape[1], rng).evaluate(points)
        return compared(points, truth, truth * factor, rng)

    @pytest.mark.parametrize("exponent", [0.25, -0.5])
    def test_is_told_with_its_exponent(self, exponent: float) -> None:
        changes = self.changes(2 * LINE[:, 0] ** exponent)
        assert (changes.kind == "same").all()
        [(found, low, high)] = changes.growth
        assert low < exponent < high
        assert found == pytest.approx(exponent, abs=0.01)
        assert high - low < 0.05

    def test_of_one_of_two_parameters_is_told_of_that_one(self) -> None:
        changes = self.changes(PLANE[:, 1] ** 0.25, PLANE)
        assert np.isnan(changes.growth[0]).all()
        assert changes.growth[1, 0] == pytest.approx(0.25, abs=0.02)

    @pytest.mark.parametrize(
        "factor", [[1.0] * 5, [1.3] * 5, [1.0, 1.0, 1.3, 1.0, 1.2], [1, 1.2, 0.9, 1.3, 1]]
    )
    def test_is_no_factor_and_no_odd_points(self, factor: list[float]) -> None:
        assert np.isnan(self.changes(np.array(factor)).growth).all()

    def test_is_found_from_all_kernels_where_some_are_compared_at_a_time(self) -> None:
        rng = np.random.default_rng(4)
        truth = random_functions(40, 1, rng).evaluate(LINE)
        before, after = (measure(each, rng, noise=0.05) for each in (truth, truth * LINE[:, 0] ** 0.25))
        pairs = [((LINE, before[some]), (LINE, after[some])) for some in (slice(0, 4), slice(4, 40))]
        whole = compare((LINE, before), (LINE, after), target=[256.0])
        part = compare(*pairs[0], target=[256.0], common=compare_common(pairs))
        np.testing.assert_allclose(part.growth, whole.growth)

    @pytest.mark.parametrize(("kernels", "points"), [(6, 5), (40, 2)])
    def test_takes_kernels_and_points(self, kernels: int, points: int) -> None:
        rng = np.random.default_rng(5)
        truth = random_functions(kernels, 1, rng).evaluate(LINE[:points])
        changes = compared(LINE[:points], truth, truth * LINE[:points, 0] ** 0.25, rng)
        assert np.isnan(changes.growth).all()

    def test_takes_common_points(self) -> None:
        rng = np.random.default_rng(5)
        values = measure(random_functions(40, 1, rng).evaluate(LINE), rng, noise=0.05)
        assert np.isnan(compare((LINE, values), (LINE + 0.5, values), target=[256.0]).growth).all()
