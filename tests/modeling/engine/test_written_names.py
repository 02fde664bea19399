"""Names of parameters in Python and LaTeX source, whatever characters they contain."""

import re
from keyword import kwlist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.engine.laws.formulas import PYTHON
from modeling.engine.laws.identifiers import identifiers
from modeling.engine.laws.latex import in_mathematics, in_text
from tests.modeling.engine.latex_source import latex_problems
from tests.modeling.engine.results.test_models import law

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        (["p", "problem size", "π"], ["p", "problem_size", "π"]),
        (["a-b", "a_b", "a b"], ["a_b_3", "a_b", "a_b_2"]),
        (["x", "X"], ["x", "X"]),
        (["ｐ", "p"], ["p_2", "p"]),
        (["log2", "class", "_class"], ["_log2", "_class_2", "_class"]),
        (["1p", "-", "__debug__"], ["_1p", "_", "___debug__"]),
        (["vector<int>", "ﬁ"], ["vector_int_", "fi"]),
    ],
)
def test_identifiers(sent, written):
    assert [identifiers(sent)[name] for name in sent] == written


@given(st.lists(names | st.sampled_from([*kwlist, "log2", "ｐ", "p", "a-b", "a_b", "a_b_2"]), unique=True))
def test_parameters_have_different_valid_python_names(sent):
    known = identifiers(sent)
    assert identifiers(reversed(sent)) == known
    arguments = [known[name] for name in sent]
    values = eval(f"lambda {', '.join(arguments)}: ({''.join(f'{each}, ' for each in arguments)})")(
        *range(len(sent))
    )
    assert values == tuple(range(len(sent)))


def test_formulas_are_written_with_them():
    product = law([2.0], [[[1, 0], [0, 1]]], constant=0.0)
    (text,) = product.python(("a-b", "a_b"))
    assert text == "2.0*a_b_2*log2(a_b)"
    assert eval(text, {"a_b_2": 3.0, "a_b": 8.0, "log2": np.log2}) == 18.0
    assert PYTHON.name("p") == "p"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("p", "p"),
        ("π", r"\pi"),
        ("my_p", r"\mathit{my\_p}"),
        ("a-b", r"\mathit{a\textrm{-}b}"),
        ("vector<int>", r"\mathit{vector{<}int{>}}"),
        ("μ s", r"\mathit{\mu{}\ s}"),
        ("é", r"\mathit{\textrm{é}}"),
    ],
)
def test_names_in_mathematics(name, written):
    assert in_mathematics(name) == written


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("main->dot", r"main-\textgreater{}dot"),
        ("a--b?`", r"a-{}-b?{}`"),
        ("[unknown]*", "{[}unknown{]}{*}"),
        ('50% of "x_1"', r"50\% of {\char34}x\_1{\char34}"),
    ],
)
def test_names_in_text(name, written):
    assert in_text(name) == written


@given(names)
def test_names_have_no_special_meaning_in_latex(name):
    for written in (in_text(name), in_mathematics(name)):
        assert latex_problems(written) == []
        assert not re.search(r"(?<!\\)[$_^]", written)
