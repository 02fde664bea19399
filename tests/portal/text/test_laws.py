import pytest

from perfweb.portal.text import laws
from perfweb.portal.text.units import Multiple


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


@pytest.mark.parametrize(
    ("numbers", "unit", "value", "name"),
    [
        ([5.79e-6, 1.69e-6], "s", 1.74e-3, "µs"),
        ([0.021, 8.8e-4], "s", 0.53, "ms"),
        ([3.0, 2e-9], "s", 5.0, "s"),
        ([3.0, 2e-9], "s", None, "s"),
        ([-0.15, 0.02], "s", 1.3, "s"),
        ([0.15, 0.02], "s", 0.13, "ms"),
        ([4380.0, 0.3], "s", 4400.0, "s"),
        ([0.5, 0.01], "h", 12.0, "h"),
        ([250.0, 3.0], "us", 900.0, "µs"),
        ([4e6, 2e6], "B", 1e9, "MB"),
        ([2048.0, 512.0], "KiB", 4096.0, "MB"),
        ([5.79e9, 1.69e8], "", 1e10, "G"),
        ([5.79e9, 1.69e8], "visits", 1e10, "G visits"),
        ([1250.0, 300.0], "visits", 450_000.0, "visits"),
        ([5.79e-6, 1.69e-6], "furlongs", 1.0, "furlongs"),
        ([0.0], "s", 0.0, "s"),
        ([None], "s", None, "s"),
    ],
)
def test_the_unit_of_a_law_is_the_one_in_which_its_numbers_read_best(numbers, unit, value, name):
    assert laws.unit_of(numbers, unit, value).name == name


def test_laws_of_a_comparison_share_a_unit():
    before, after = [5e-6, 1e-7], [4e-3, 2e-5]
    shared = laws.unit_of([*before, *after], "s")
    written = [laws.plain(laws.typeset(a, [b], [1, 0], ["p"], shared)) for a, b in (before, after)]
    assert [text.rpartition("\N{NO-BREAK SPACE}")[2] for text in written] == ["µs", "µs"]


def test_the_unit_follows_the_last_term_without_a_line_break():
    micro = laws.unit_of([5.79e-6, 1.69e-6], "s")
    html = laws.typeset(5.79e-6, [1.69e-6], [1, 0], ["p"], micro)
    assert html.replace("\N{NO-BREAK SPACE}", "&nbsp;") == (
        '<span class="law">5.79 <span class="whole">+&nbsp;1.69·<var>p</var></span>'
        '&nbsp;<span class="law-unit">µs</span></span>'
    )
    assert "&lt;b&gt;" in laws.typeset(1.0, [], [], ["p"], Multiple(1.0, "<b>"))


def test_a_law_as_plain_text_has_carets():
    html = laws.typeset(0.021, [8.8e-4], [2 / 3, 1, 2, 0], ["p", "n"], Multiple(1.0, "s"))
    assert laws.plain(html).replace("\N{NO-BREAK SPACE}", " ").replace("\u202f", " ") == (
        "0.021 + 8.8·10^(−4)·p^(2/3)·log₂ p·n^2 s"
    )
