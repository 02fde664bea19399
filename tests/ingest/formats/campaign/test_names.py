"""Very long names of kernels."""

import re

import pytest

from ingest.formats import FormatError, Limits
from ingest.formats.campaign.names import SEPARATOR, kernel_path, short_name, shortened
from ingest.formats.collecting.collector import Collector

LIMITS = Limits()


def template(level):
    return f"std::visit<{'Kokkos::View<double*>, ' * 20}{level}>::operator()"


def deep(last, levels=12):
    return SEPARATOR.join([*map(template, range(levels - 1)), last])


def test_short_names_stay_unchanged():
    for path in ("main->solve", "a" * 4096, SEPARATOR.join("f" * 200)):
        assert kernel_path(path, LIMITS) == path
    assert not shortened(["main->solve", "…"])


def test_a_long_call_path_keeps_its_levels_and_both_ends_of_each():
    path = kernel_path(deep(template("last")), LIMITS)
    levels = path.split(SEPARATOR)
    assert len(path) <= 4096
    assert len(levels) == 12
    assert levels[0] == template(0)
    assert re.fullmatch(r"std::visit<Kokkos::View<double…[0-9a-f]{10}….*last>::operator\(\)", levels[-1])
    assert shortened([path]) == 1


def test_the_same_path_is_always_shortened_equally():
    assert kernel_path(deep(template("last")), LIMITS) == kernel_path(deep(template("last")), LIMITS)
    assert kernel_path("x" * 5000, LIMITS) == "x" * 30 + "…c59d3c0480…" + "x" * 30
    path = kernel_path(deep(template("last")), LIMITS)
    assert kernel_path(path, LIMITS) == path


def test_shortened_paths_that_differed_still_differ():
    first, second = (deep(f"solve<{'a' * 50}{middle}{'b' * 50}>", 13) for middle in "xy")
    assert kernel_path(first, LIMITS) != kernel_path(second, LIMITS)
    other = first.replace("View<double*>, 4>", "View<float*>, 4>")
    assert kernel_path(first, LIMITS) != kernel_path(other, LIMITS)


def test_callees_keep_the_same_shortened_caller():
    first, second = (kernel_path(deep(name), LIMITS) for name in ("solve", "communicate" * 10))
    assert first.rpartition(SEPARATOR)[0] == second.rpartition(SEPARATOR)[0]


def test_deep_recursion_is_shortened_in_the_middle():
    path = kernel_path(SEPARATOR.join(["main", *["fib"] * 300, "leaf"]), LIMITS)
    levels = path.split(SEPARATOR)
    assert len(levels) == 200
    assert (levels[0], levels[-1]) == ("main", "leaf")
    assert re.fullmatch(r"103 levels …[0-9a-f]{10}…", levels[120])
    assert kernel_path(path, LIMITS) == path


def test_many_long_levels_fit_as_well():
    path = kernel_path(SEPARATOR.join("x" * 300 + str(level) for level in range(200)), LIMITS)
    assert len(path) <= 4096
    assert path.endswith("x199")


def test_metrics_are_shortened_to_their_80_characters():
    name = short_name("cache misses of " + "level " * 20, "a metric", LIMITS)
    assert len(name) <= 80
    assert name.startswith("cache misses of level")


def test_long_names_of_parameters_are_refused():
    with pytest.raises(FormatError, match="a name of 81 characters for a parameter"):
        short_name("p" * 81, "a parameter", LIMITS)


def test_one_note_counts_the_shortened_names():
    collector = Collector(LIMITS)
    collector.declare(["p"])
    for kernel, metric in (("x" * 5000, "time"), ("y" * 5000, "time"), ("main", "m" * 100)):
        collector.add(collector.series(kernel, metric), collector.point([1.0]), [1.0], 1)
    notes = collector.campaign("any").notes
    assert notes[0].startswith("2 call paths of over 4096 characters or 200 levels were shortened")
    assert notes[1].startswith("1 names of metrics of over 80 characters were shortened")


HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060"
    "\u2064\u2066\u2069\u206f\u2800\u3164\ud800\ue000\ufe0f\ufeff\uffa0\ufff9\U000e0041\U000e0100\U000e007f"
    "\U0001d173\U0010fffd\u0378\x85"
)


@pytest.mark.parametrize("letter", HIDDEN)
def test_invisible_names_are_refused(letter):
    for name in (f"so{letter}lve", f"main->x{letter}y", f"é{letter}x"):
        with pytest.raises(FormatError, match=rf"the character U\+{ord(letter):04X} in the name"):
            kernel_path(name, LIMITS)
        with pytest.raises(FormatError, match=rf"U\+{ord(letter):04X} in the name .* of a parameter"):
            short_name(name.partition("->")[2] or name, "a parameter", LIMITS)


def test_too_many_combining_marks_are_refused():
    assert kernel_path("a" + "\u0301" * 4, LIMITS)
    with pytest.raises(FormatError, match=r"more than 4 combining marks in a row, such as U\+0301"):
        kernel_path("main->a" + "\u0301" * 5, LIMITS)


@pytest.mark.parametrize(
    "name",
    [
        "löse", "résoudre", "giải", "решить", "λύση", "解く", "がぎ", "풀다", "חִשּׁוּב", "حَلَّ", "हल_करना",
        "แก้ปัญหา", "முடிவு", "བརྒྱུད", "មុខងារ", "e\u0301", "operator()<λ>", "std::vector<T>::μs", "𝛼", "⚠",
        "⚠\ufe0f", "→", "…", "a b",
    ],
)  # fmt: skip
def test_names_in_all_scripts_are_kept(name):
    assert kernel_path(name, LIMITS) == name
    assert short_name(name, "a metric", LIMITS) == name
