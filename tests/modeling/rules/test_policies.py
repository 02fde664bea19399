"""The conditions under which a gate refuses a version."""

import pytest

from modeling.rules.policies import (
    DEFAULT_POLICY,
    ExpectationBroken,
    LawWorsened,
    OverheadWorsened,
    Slower,
    Subject,
    policy_parse,
)
from modeling.rules.reading import RuleError


def test_the_default():
    found = policy_parse(DEFAULT_POLICY)
    assert found == (
        Slower("P(slower than 5 % at the target) > 0.95", 0.05, 0.95, Subject.EITHER, times_only=True),
        LawWorsened(),
        ExpectationBroken(),
    )
    assert "; ".join(condition.text for condition in found) == DEFAULT_POLICY


@pytest.mark.parametrize(
    ("text", "share", "probability", "subject", "times_only"),
    [
        ("P(slower than 5%)>.95", 0.05, 0.95, Subject.EITHER, True),
        ("p(total worse than 2.5 % at the target) >= 90 %", 0.025, 0.9, Subject.TOTAL, False),
        ("P(the total slower than 0 %) ≥ 0.5", 0, 0.5, Subject.TOTAL, True),
        ("P(any kernel worse than 100 %) > 0.99", 1, 0.99, Subject.KERNEL, False),
    ],
)
def test_slower(text, share, probability, subject, times_only):
    (found,) = policy_parse(text)
    assert (found.share, found.probability) == pytest.approx((share, probability))
    assert (found.subject, found.times_only) == (subject, times_only)
    assert policy_parse(found.text) == (found,)  # The text that an answer repeats can be parsed again.


def test_conditions_are_joined():
    text = "a law worsened or any expectation is broken; P(slower than 1 %) > 0.9 OR an overhead worsened"
    assert [type(each) for each in policy_parse(text)] == [
        LawWorsened,
        ExpectationBroken,
        Slower,
        OverheadWorsened,
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Character 1: found the end, expected a condition: P(slower than 5 % at the target) > 0.95,"),
        ("any kernel", "Character 1: found “any”, expected a condition"),
        ("any law", "Character 8: found the end, expected “worsened”."),
        ("P slower", "Character 3: found “slower”, expected “(”."),
        ("P(faster than 5 %) > 0.9", "Character 3: found “faster”, expected “slower” or “worse”"),
        ("P(slower by 5 %)", "Character 10: found “by”, expected “than” and a share"),
        ("P(slower than 5) > 0.9", "Character 16: found “)”, expected “%”."),
        ("P(slower than 5 % today) > 0.9", "found “today”, expected “at the target” or “)”."),
        ("P(slower than 5 %) = 1", "Character 20: found “=”, expected “>” and a probability"),
        ("P(slower than 5 %) > 95", "Character 22: found “95”, expected a probability between 0 and 1"),
        ("P(slower than 9e9 %) > 0.9", "Character 15: found “9e9”, expected at most 1,000,000 %."),
        ("any law worsened and more", "Character 18: found “and”, expected “or”, “;” or the end."),
        ("any law worsened;", "Character 18: found the end, expected a condition"),
        (";".join(["any law worsened"] * 21), "expected at most 20 conditions."),
    ],
)
def test_invalid_policies_are_refused(text, message):
    with pytest.raises(RuleError) as wrong:
        policy_parse(text)
    assert message in str(wrong.value)
