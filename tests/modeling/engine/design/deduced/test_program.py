"""Programs as the sum of their functions' models."""

import numpy as np
import pytest

from modeling.engine import fit, fit_program


def test_functions_of_all_parameters_have_the_known_models() -> None:
    points = np.array([[float(p), float(n)] for p in (2, 4, 8, 16, 32) for n in (10, 20, 40, 80, 160)])
    rng = np.random.default_rng(0)
    laws = np.stack([1 + 0.2 * points[:, 0] * points[:, 1], 3 + points[:, 0]])
    values = laws[..., None] * np.exp(rng.normal(0, 0.02, (2, 25, 2)))
    known = fit(points, values)
    depends_on = [{"p", "n"}, {"p"}]
    program = fit_program(points, values, depends_on, ["p", "n"], known)
    anew = fit_program(points, values, depends_on, ["p", "n"])
    aim = [[64.0, 320.0]]
    assert program.predict(aim)[0] == pytest.approx(known.predict(aim)[0])
    assert program.predict(aim)[1] == pytest.approx(anew.predict(aim)[1])
    for one, other in zip(program.total(aim), anew.total(aim), strict=True):
        assert one == pytest.approx(other, rel=0.02)


def test_one_value_of_a_parameter_gives_no_interval() -> None:
    values = np.exp(np.random.default_rng(0).normal(0, 0.01, (2, 1, 3)))
    program = fit_program([[4.0, 10.0]], values, [{"p"}, {"n"}], ["p", "n"])
    predicted, lower, upper = program.total([[4.0, 10.0], [8.0, 10.0]])
    assert np.isfinite(predicted).all()
    assert np.isfinite([lower[0], upper[0]]).all()
    assert np.isnan([lower[1], upper[1]]).all()
