"""The question that a plan answers, as it is written in an address."""

import pytest

from modeling.selectors.plans.question import question_read
from modeling.selectors.plans.values import next_value

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
    assert problems == [
        f"Found “-1” for {name}, expected a number above 0; planned as if it were empty.",
    ]


def test_a_kernel_is_a_number():
    assert question_read({"kernel": "7"}, OFFERED, default_goal="interval")[0].kernel == 7
    question, problems = question_read({"kernel": "9" * 30}, OFFERED, default_goal="interval")
    assert question.kernel is None
    assert "expected a number" in problems[0]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"runs": "41"}, "Found 41 for runs, expected a whole number from 1 to 40; planned with 40."),
        ({"runs": "1000000000"}, "Found 1,000,000,000 for runs"),
        ({"budget": "1e300"}, "Found “1e300” for budget, expected a number above 0, up to 10³⁰;"),
        ({"values.p": "2, 1e308"}, "Found “1e308” for p, expected positive numbers up to 10³⁰ such as"),
        ({"values.p": "-2, 4"}, "such as 4..64; planned with 4, 8, 16."),
        ({"values.p": "2..1e200"}, "Found “2..1e200” for p, expected a range"),
        ({"runs": "0.5"}, "Found 0.5 for runs, expected a whole number from 1 to 40; planned with 1."),
        ({"runs": "3126", "goal": "profile"}, "expected a whole number from 1 to 3,125;"),
        ({"repetitions": "21"}, "Found 21 for repetitions, expected a whole number from 1 to 20;"),
        ({"values.q": "1, 2"}, "Found values of q, expected those of p."),
        ({"dependent": "n = p * m"}, "Found m in “n = p * m”, expected other parameters: p."),
        ({"dependent": "p = p * p"}, "Found p"),
        ({"linear": "p", "iterations": "1"}, "Found “1” for iterations, expected the seconds of two or more"),
        ({"linear": "p", "iterations": "1, -2"}, "Found “1, -2” for iterations"),
        ({"linear": "zeta"}, "Found zeta for linear, which is none of the known parameters (p); planned"),
        ({"iterations": "1, 2"}, "name the parameter that counts iterations"),
        ({"values.p": "1, " * 1000}, "Left out values.p: expected 2,000 characters at most"),
    ],
)
def test_numbers_and_names_that_are_not_possible_are_reported(asked, told):
    _, problems = question_read(asked, OFFERED, default_goal="interval")
    assert len(problems) == 1
    assert told in problems[0]


def test_the_limit_on_runs_depends_on_the_goal():
    asked = {"goal": "profile", "runs": "625"}
    assert question_read(asked, OFFERED, default_goal="interval")[0].runs == 625
    assert question_read({"runs": "7"}, OFFERED, default_goal="interval")[0].runs == 7
    assert question_read({}, OFFERED, default_goal="interval")[0].runs is None


def test_long_series_are_read_completely():
    text = ", ".join(f"{1e15 + number:.0f}" for number in range(60))
    question, problems = question_read({"values.p": text}, OFFERED, default_goal="interval")
    assert problems == []
    assert len(dict(question.values)["p"]) == 60
