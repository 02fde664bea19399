"""Programs as the sum of their functions' models."""

import numpy as np
import pytest

from modeling.engine import fit, fit_program


def test_functions_of_all_parameters_keep_known_models() -> None:
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
