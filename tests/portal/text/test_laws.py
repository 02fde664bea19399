import pytest

from perfweb.portal.text import laws


def test_a_law_has_superscripts():
    html = laws.typeset(0.021, [8.8e-4], [2 / 3, 1], ["p"])
    assert html.replace("\N{NO-BREAK SPACE}", "&nbsp;") == (
        '<span class="law">0.021 <span class="whole">+&nbsp;8.8·10<sup>−4</sup>·<var>p</var><sup>2/3</sup>·'
        "log<sub>2</sub>&#8239;<var>p</var></span></span>"
    )


def test_a_zero_constant_is_left_out_and_negative_terms_are_subtracted():
    html = laws.typeset(0.0, [-2.0, 3.0, -4.0], [1, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0], ["p", "n"])
    assert html.replace("\N{NO-BREAK SPACE}", "&nbsp;") == (
        '<span class="law"><span class="whole">−2·<var>p</var></span> '
        '<span class="whole">+&nbsp;3·<var>n</var></span> '
        '<span class="whole">−&nbsp;4·log<sub>2</sub><sup>2</sup>&#8239;<var>p</var></span></span>'
    )


def test_only_long_terms_break_and_between_their_factors():
    assert "<wbr>" not in laws.typeset(1.0, [3.53e-7], [0, 1, 1, 0], ["p", "n"])
    long = laws.typeset(1.0, [3.53e-7], [0, 1, 1, 0], ["processes", "particles_per_cell"])
    assert "3.53·10<sup>−7</sup>·<wbr>log" in long
    assert "<var>processes</var>·<wbr><var>particles_per_cell</var>" in long


def test_a_constant_law():
    assert laws.typeset(5.914, [], [], ["p"]) == '<span class="law">5.91</span>'
    assert laws.typeset(0.0, [], [], ["p"]) == '<span class="law">0</span>'


def test_no_law_is_empty():
    assert laws.typeset(None, [], [], ["p"]) == ""


def test_names_of_parameters_are_escaped():
    assert "<var>&lt;b&gt;</var>" in laws.typeset(1.0, [1.0], [1, 0], ["<b>"])


@pytest.mark.parametrize(("value", "text"), [(1 / 3, "1/3"), (-0.75, "−3/4"), (2.0, "2"), (0.3371, "0.337")])
def test_exponents_are_written_as_fractions(value, text):
    assert laws.fraction(value) == text


def test_growth_is_described_in_words():
    assert laws.growth("n", 1, 0) == "linearly"
    assert laws.growth("n", 0, 0) == "not at all"
    assert laws.growth("p", 1 / 3, 0) == "like <var>p</var><sup>1/3</sup>"


def test_unused_places_for_terms_are_left_out():
    assert laws.typeset(5.0, [0.0], [0.0, 0.0], ["p"]) == '<span class="law">5</span>'
    assert laws.typeset(0.0, [0.0], [0.0, 0.0], ["p"]) == '<span class="law">0</span>'
    two_places = laws.typeset(0.5, [2.0, 0.0], [1.0, 0.0, 0.0, 0.0], ["p"])
    assert two_places == laws.typeset(0.5, [2.0], [1.0, 0.0], ["p"])
