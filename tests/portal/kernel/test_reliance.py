"""Why a prediction is not the formula's value."""

from types import SimpleNamespace

import pytest

from modeling.selectors.kernel.curves import Ends
from modeling.selectors.run.weighed import Kind
from perfweb.portal.kernel.reliance import difference


def fit(*kinds: Kind, upper: float = 77e-6) -> SimpleNamespace:
    return SimpleNamespace(
        prediction=SimpleNamespace(predicted=58e-6),
        judged=SimpleNamespace(apart=lambda _: 74e-6),
        state=SimpleNamespace(target=[1024.0]),
        focus=SimpleNamespace(unit="s"),
        trend=1.0,
        deviates=False,
        weighed=SimpleNamespace(noise=kinds),
        intervals=(Ends(1024.0, 57e-6, 59e-6), Ends(1024.0, 39e-6, upper)),
    )


def test_the_middle_of_evenly_spread_runs_is_not_their_median() -> None:
    kinds = Kind("uniform", 0.9), Kind("normal", 0.1)
    assert difference(fit(*kinds)) == (  # type: ignore[arg-type]
        "The formula is fitted to the medians and gives 74 µs. Runs lie evenly between two bounds, and the "
        "middle between these bounds is predicted: 58 µs."
    )


def test_bounds_do_not_explain_a_formula_outside_of_them() -> None:
    reason = difference(fit(Kind("uniform", 0.9), upper=70e-6))  # type: ignore[arg-type]
    assert reason.endswith("as the median over all laws 58 µs is predicted.")


@pytest.mark.parametrize("kinds", [(), (Kind("normal", 0.9), Kind("uniform", 0.1))])
def test_otherwise_all_laws_are_told(kinds: tuple[Kind, ...]) -> None:
    reason = difference(fit(*kinds))  # type: ignore[arg-type]
    assert reason == "The formula gives 74 µs; as the median over all laws 58 µs is predicted."
