"""Laws written as formulas for readers, for LaTeX and for Python."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS
from tests.modeling.engine.results.test_models import law

PRODUCT = law([0.11], [[[1 / 3, 0], [1, 0]]], constant=8.51)
MIXED = law([-2.5, 1], [[[2, 1], [0, 0]], [[0, 2], [-0.5, 0]]], constant=8.8e-4)


def test_text():
    assert PRODUCT.expressions(("p", "n")) == ["8.51 + 0.11·p^(1/3)·n"]
    assert MIXED.expressions(("p", "n")) == ["8.8·10^-4 − 2.5·p^2·log2(p) + log2(p)^2·n^(-1/2)"]
    assert law([1], [[[1 / 3, 0], [0, 1]]], constant=0.0).expressions("pn") == ["p^(1/3)·log2(n)"]
    assert law([-3], [[[1, 0]]], constant=0.0).expressions("p") == ["−3·p"]
    assert law([0], [[[0, 0]]], constant=0.0).expressions("p") == ["0"]
    assert law([1], [[[0.45, 0]]], constant=0.0).expressions("p") == ["p^0.45"]
    assert law([1], [[[-0.45, 0]]], constant=0.0).expressions("p") == ["p^(-0.45)"]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (2.1, "2.1"),
        (8.5149, "8.51"),
        (123.46, "123"),
        (4096.0, "4096"),
        (12345.6, "12346"),
        (0.00123456, "0.00123"),
        (0.000123456, "1.23·10^-4"),
        (np.nextafter(0.001, 0), "0.001"),
        (0.0009994, "9.99·10^-4"),
        (2.5e9, "2.5·10^9"),
        (1e-9, "1·10^-9"),
        (np.nan, "–"),
    ],
)
def test_digits(value, written):
    assert law([0], [[[0, 0]]], constant=value).expressions("p") == [written]


def test_latex():
    assert PRODUCT.latex(("p", "n")) == [r"8.51 + 0.11 \cdot p^{1/3} \cdot n"]
    assert law([1e9], [[[0, 2]]], constant=0.0).latex(["my_p"]) == [
        r"1 \cdot 10^{9} \cdot \log_2^{2}(\mathit{my\_p})"
    ]
    assert law([1], [[[0.45, 0]]], constant=0.0).latex("p") == ["p^{0.45}"]


def test_python_names():
    assert law([2], [[[1, 0], [1, 0]]]).python(("problem size", "lambda")) == [
        "1.0 + 2.0*problem_size*_lambda"
    ]


pairs = st.sampled_from([(0.0, 0.0), *EXPONENTS, *FALLING_PAIRS])
numbers = st.floats(-1e12, 1e12).filter(lambda number: number == 0 or abs(number) > 1e-12)


@given(numbers, numbers, numbers, st.tuples(pairs, pairs, pairs, pairs))
def test_python_evaluates_to_the_prediction(constant, one, other, exponents):
    terms = np.array(exponents).reshape(2, 2, 2)
    coefficients = [c if term.any() else 0.0 for c, term in zip((one, other), terms, strict=True)]
    models = law(coefficients, terms, constant)
    (text,) = models.python(("p", "n"))
    value = eval(text, {"log2": log2, "p": 48.0, "n": 1.5})
    size = abs(constant) + np.abs(coefficients).sum() * 48.0**6
    np.testing.assert_allclose(value, models.predict([[48.0, 1.5]])[0, 0], rtol=1e-9, atol=1e-12 * size)


def test_terms_for_json():
    assert MIXED.terms(("p", "n")) == [
        [
            {"coefficient": -2.5, "factors": [{"parameter": "p", "exponent": "2", "log": 1}]},
            {
                "coefficient": 1.0,
                "factors": [
                    {"parameter": "p", "exponent": "0", "log": 2},
                    {"parameter": "n", "exponent": "-1/2", "log": 0},
                ],
            },
        ]
    ]


@pytest.mark.parametrize("names", [(), ("p",), ("p", "n", "k")])
def test_wrong_names_are_refused(names):
    with pytest.raises(ValueError, match="names: found"):
        PRODUCT.expressions(names)
