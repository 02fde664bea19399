"""The question that a plan answers, as it is written in an address."""

import pytest

from modeling.selectors.plans.question import next_value, question_read

OFFERED = {"p": [4.0, 8.0, 16.0]}


@pytest.mark.parametrize(
    ("series", "following"),
    [
        ([], None),
        ([4], 8),
        ([4, 8, 16], 32),
        ([5, 6, 7], 8),
        ([88, 112], 143),  # Numbers of processes are rounded to integers.
        ([0.1, 0.2, 0.3, 0.4, 0.5], 0.6),
    ],
)
def test_series_of_values_are_continued(series, following):
    assert next_value(series) == following


def test_limits_are_parsed():
    asked = {"within": "5", "memory": "64", "memory_each": "2", "overhead": "0.5", "wait": "3", "fresh": "1"}
    question, problems = question_read(asked, OFFERED, default_goal="interval")
    assert problems == []
    assert question.within == pytest.approx(0.05)
    assert (question.memory, question.memory_each) == (64, 2)
    assert (question.overhead, question.wait, question.fresh) == (0.5, 3, True)


@pytest.mark.parametrize("name", ["within", "memory", "memory_each", "overhead", "wait"])
def test_invalid_limits_are_refused(name):
    _, problems = question_read({name: "-1"}, OFFERED, default_goal="interval")
    assert problems == [f"Found “-1” for {name}, expected a number above 0."]


def test_a_kernel_is_a_number():
    assert question_read({"kernel": "7"}, OFFERED, default_goal="interval")[0].kernel == 7
    question, problems = question_read({"kernel": "9" * 30}, OFFERED, default_goal="interval")
    assert question.kernel is None
    assert "expected a number" in problems[0]
