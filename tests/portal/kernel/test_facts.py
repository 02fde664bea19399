"""The facts that the kernel page lists about a law next to its chart."""

import pytest

from ingest.models import Campaign
from modeling.models import Model, ModelRun
from perfweb.portal.kernel.facts import law_sentence, stability_text, trust

LINE = Campaign(parameters=["p"], points=[[2.0], [4.0], [8.0]])
FIXED = Campaign(parameters=["p", "n"], points=[[2.0, 1000.0], [4.0, 1000.0], [8.0, 1000.0]])


def law(leads: list[float], status: str = "ok", **facts: float | None) -> Model:
    return Model(lead_exponents=leads, status=status, points_used=3, degrees_of_freedom=1, **facts)


@pytest.mark.parametrize(
    ("model", "campaign", "sentence"),
    [
        (law([0.0, 0.0]), LINE, "Does not depend on p in the measured range."),
        (
            law([0.0, 0.0], "too few values"),
            LINE,
            "There are too few values to know how it depends on p.",
        ),
        (
            law([-0.5, 0.0, 1.0, 0.0]),
            Campaign(parameters=["p", "n"], points=[[2.0, 1.0], [4.0, 2.0]]),
            "Grows linearly with n and falls like <var>p</var><sup>−1/2</sup> with p.",
        ),
        (law([1.0, 0.0, 0.0, 0.0]), FIXED, "Grows linearly with p; only n = 1,000 was measured."),
        (
            law([0.0, 0.0, 0.0, 0.0]),
            FIXED,
            "Does not depend on p in the measured range; only n = 1,000 was measured.",
        ),
    ],
)
def test_the_sentence_claims_nothing_that_was_not_measured(model, campaign, sentence):
    assert law_sentence(model, campaign, []) == sentence


def test_rounding_errors_are_not_reported_as_deviations():
    found = trust(law([0.0, 0.0], r_squared=1.1e-16), LINE, LINE.points, {}, [])
    assert {fact.term: fact.value for fact in found}["R²"] == "0"


def test_distance_and_held_out_point_are_those_of_the_kernel():
    found = trust(law([1.0, 0.0], holdout_error=0.02), LINE, [[2.0], [4.0]], {"p": (2.0, 4.0, 16.0)}, [])
    facts = {fact.term: fact.value for fact in found}
    assert facts["Extrapolation at the target"] == "4× beyond p = 4"
    assert facts["Error at p = 4, held out"] == "2 %"


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (
            {"stability": 1.0, "weakest_point": 2, "weakest_ratio": 1.02},
            "in 3 of 3 cases; without p = 8 it predicts 2 % more",
        ),
        (
            {"stability": 1 / 3, "weakest_point": 0, "weakest_ratio": 0.4},
            "in 1 of 3 cases; without p = 2 it predicts 60 % less",
        ),
        (
            {"stability": 1 / 3, "weakest_point": 0, "weakest_ratio": 3.0},
            "in 1 of 3 cases; without p = 2 it predicts 3× as much",
        ),
        (
            {"stability": 1.0, "weakest_point": 2, "weakest_ratio": 1.004},
            "in 3 of 3 cases; the prediction changes by less than 1 %, even without p = 8",
        ),
    ],
)
def test_stability_names_the_most_influential_point(known, text):
    assert stability_text(law([1.0, 0.0], **known), LINE) == text


def test_unknown_stability_says_whether_it_will_be_computed():
    model = law([1.0, 0.0])
    model.run = ModelRun(judged=3, series_total=9)
    assert stability_text(model, LINE) == "being judged …"
    model.run.judged = 9
    assert stability_text(model, LINE) == "not judged"
