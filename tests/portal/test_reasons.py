"""The sentences in which pages and the REST interface give reasons."""

import numpy as np

from modeling.engine import UnknownGrowth, WideInterval
from modeling.engine.questions.trust import Trust
from modeling.engine.results.region import Region
from modeling.selectors.run.judged import Judged
from perfweb.reasons import doubt_reasons, trust_reasons

NAMES = ["p", "n"]


def judged(*, off, distance=1.0, grade=0, unknown=(False, False), misfit=False, broken=(False, False)):
    ranks = 2.0 ** np.arange(6)
    region = Region.measured(np.stack([8 * ranks, ranks], axis=1), np.ones((1, 6), bool))
    trust = Trust(
        grade=np.array([grade]),
        off=np.array([off]),
        distance=np.array([distance]),
        farthest=np.array([0]),
        misfit=np.array([misfit]),
        unknown=np.array([unknown]),
        broken=np.array([broken]),
        region=region,
    )
    return Judged(law=None, grade="usable", trust=trust, number=0)


def test_a_target_that_breaks_a_relation_has_this_reason_alone():
    assert trust_reasons(judged(off=np.nan, broken=(False, True)), NAMES) == [
        "p and n were always varied together (p = 8 · n). The target breaks this relation, and nothing was "
        "measured off it."
    ]


def test_reasons_name_the_properties_on_which_the_grade_depends():
    assert trust_reasons(judged(off=2.5, distance=2.0, unknown=(True, False), misfit=True), NAMES) == [
        "At the target the true value may differ by a factor of 2.5.",
        "The target lies 2× outside the measured range of p.",
        "Its growth with p cannot be inferred from these data.",
        "The law misses the points to which it was fitted, "
        "and far from these points the prediction follows the law.",
    ]
    assert trust_reasons(judged(off=1.01), NAMES) == [
        "At the target the true value may differ by 1 %.",
        "The target lies within the measured range.",
    ]


def test_a_narrow_interval_is_no_reason_why_a_prediction_cannot_be_told():
    unknown = {"distance": 2.0, "unknown": (True, False)}
    assert trust_reasons(judged(off=1.12, grade=3, **unknown), NAMES) == [
        "The target lies 2× outside the measured range of p.",
        "Its growth with p cannot be inferred from these data.",
    ]
    assert "a factor of 32" in trust_reasons(judged(off=32.0, grade=3, **unknown), NAMES)[0]
    assert "12 %" in trust_reasons(judged(off=1.12, grade=1, **unknown), NAMES)[0]


def test_widths_have_a_suitable_number_of_digits():
    offs = (1.001, 1.2, 1.51, 15.25, 258.0, 1e9, np.inf, np.nan)
    widths = [trust_reasons(judged(off=off), NAMES)[0] for off in offs]
    assert [width.removeprefix("At the target the true value may differ by ") for width in widths] == [
        "less than 1 %.",
        "20 %.",
        "a factor of 1.5.",
        "a factor of 15.",
        "a factor of 260.",
        "a factor of 1,000 or more.",
        "a factor of 1,000 or more.",
        "The possible error of the prediction at the target is unknown.",
    ]
    assert " 16× " in trust_reasons(judged(off=1.5, distance=16.2), NAMES)[1]


def test_doubts_are_full_sentences():
    growth, few, wide, unknown = doubt_reasons(
        [UnknownGrowth(1, 0.38), UnknownGrowth(0, 0.0), WideInterval(32.0), WideInterval(None)], NAMES
    )
    assert growth.startswith("Its growth with n is not known")
    assert "38 %" in growth
    assert few == "Its growth with p cannot be inferred from so few values."
    assert wide == "At the target the true value may differ by a factor of 32."
    assert unknown == "At the target the true value may differ by an unknown factor."
