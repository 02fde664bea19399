"""The kernel page of a campaign that the evidence modeler has modelled: rivals, growth, noise, intervals."""

import json
import re

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from ingest.models import Application, Campaign
from modeling.engine.results.posterior import SHAPES
from modeling.models import Model, ModelRun
from modeling.selectors.run.weighed import Kind, Lead, Rival, Weighed
from modeling.tasks import run_execute, run_judge
from perfweb.portal.kernel.noise import noise_card
from perfweb.portal.kernel.reliance import explains
from perfweb.portal.kernel.rivals import certainty, growths
from perfweb.portal.text import formatting
from perfweb.portal.text.topics.noise_families import KINDS
from tests.factories import make_member, make_project
from tests.measured import make_weighed
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db

HALO = "main->timestep->halo_exchange"


@pytest.fixture
def campaign(application: Application) -> Campaign:
    return make_weighed(application, "1.3.0", noise=0.2)[0]


@pytest.fixture
def page(client: Client, application: Application, campaign: Campaign):
    client.force_login(make_member(application.project))
    kernel = application.kernels.get(path=HALO)
    return lambda **asked: client.get(reverse("kernel", args=[campaign.pk, kernel.pk]), asked)


def test_rivals_are_listed_with_their_probabilities(page) -> None:
    answer = page()
    bars = answer.context["rivals"]
    assert sum(bar.probability for bar in bars) == pytest.approx(1, abs=1e-3)
    text = answer.content.decode()
    for words in (
        "Rival laws",
        "Law for time",
        "How it grows",
        "with p",
        "with n",
        "A new run there takes",
    ):
        assert words in text
    assert "style=" not in text


def test_rivals_are_written_in_the_unit_of_the_law(page) -> None:
    """A page with small coefficients wrote 5.99 + 0.0298·p s, and the same law as 5,990 + 29.8·p ms."""
    for model in Model.objects.all():
        model.constant *= 1e-6
        model.coefficients = [1e-6 * number for number in model.coefficients]
        model.predicted *= 1e-6
        model.save()
    answer = page()
    law = re.search(r'law-large">.*?<span class="law-unit">(.*?)</span>', answer.content.decode(), re.DOTALL)
    units = {re.search(r'law-unit">(.*?)<', bar.label)[1] for bar in answer.context["rivals"][:-1]}
    assert law
    assert units == {law[1]}


def test_the_interval_covers_all_laws(page) -> None:
    assert "given that the form of the law is right" not in page().content.decode()


def test_the_chart_has_both_bands_and_its_table_both_intervals(page) -> None:
    chart = page().context["figure"]
    fills = [trace["fillcolor"] for trace in json.loads(chart.json)["data"] if "fillcolor" in trace]
    assert fills == ["--band-runs", "--band"]
    assert list(chart.columns[4:6]) == ["95 % of the law", "95 % of a new run"]
    assert all("–" in cell and len(cell) > 1 for row in chart.rows for cell in row[4:6])
    assert "of a new run" in chart.caption


def test_a_new_run_varies_more_than_the_law(page) -> None:
    law, run = page().context["intervals"]
    assert run.lower < law.lower < law.upper < run.upper


def halve(model: Model) -> None:
    halved = [each / 2 for each in model.coefficients]
    Model.objects.filter(pk=model.pk).update(constant=model.constant / 2, coefficients=halved)


def test_the_page_explains_a_difference_between_formula_and_prediction(page, campaign: Campaign) -> None:
    assert "The formula gives" not in page().content.decode()
    assert "the law alone" not in page().context["figure"].caption
    halve(Model.objects.get(run__campaign=campaign, kernel__path=HALO))
    answer = page()
    predicted = answer.context["prediction"].predicted
    given, value = (formatting.quantity(each, "s") for each in (predicted / 2, predicted))
    reason = answer.context["law_apart"]
    assert reason == f"The formula gives {given}; as the median over all laws {value} is predicted."
    assert reason in answer.content.decode()
    assert "the thin dotted one the law alone" in answer.context["figure"].caption
    assert "Each value is the prediction by one law" not in answer.content.decode()


def test_predictions_that_start_from_measured_points_are_explained_by_them(client: Client) -> None:
    processes = tuple(4 * 2**step for step in range(8))
    bends = dict(zip(processes, (1, 1.3, 0.9, 1, 1.5, 1.2, 0.8, 1), strict=True))
    campaign = store(make_project(), "1.0", {"main->wander": lambda p: 3 * p * bends[p]}, processes)
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run.pk)
    model = run.models.get()
    halve(model)
    client.force_login(make_member(campaign.version.application.project))
    answer = client.get(reverse("kernel", args=[campaign.pk, model.kernel_id]), {"target": "p:600"})
    reason = answer.context["law_apart"]
    assert "; the measured point nearest to the target lies " in reason
    assert " above the formula, so " in reason
    assert "Each value is the prediction by one law" in answer.content.decode()


@pytest.mark.parametrize(
    ("residual", "predicted", "by_the_point"),
    [
        (0.2, 12.0, True),
        (0.2, 13.0, True),
        (0.2, 20.0, False),
        (0.2, 9.0, False),
        (-0.5, 6.0, True),
        (-0.5, 11.0, False),
        (0.0, 11.0, False),
        (-1.0, 5.0, False),
    ],
)
def test_a_near_point_explains_only_predictions_near_it(residual, predicted, by_the_point):
    assert explains(residual, predicted, law=10.0) is by_the_point


def test_the_scaling_card_ends_at_the_target(page) -> None:
    card = page(target="p:8192,n:1000").context["scaling"]
    assert card.parameter == "p"
    assert (card.rows[0][0], card.rows[-1][0]) == ("4", "8,192")
    # The law is T(p) = 0.021 + 8.8e-4 · p^(2/3) · log2 p, so the efficiency is T(4) / T(8192).
    assert card.columns[1] == "weak efficiency"
    assert card.rows[-1][1].partition(" ")[0] in ("0.5", "0.51", "0.52", "0.53", "0.54", "0.55")


def test_only_times_have_a_scaling_card(page, application: Application) -> None:
    application.metrics.update(name="visits", unit="")
    assert page().context["scaling"] is None


def test_stability_is_shown_once_it_is_computed(page, campaign: Campaign) -> None:
    assert "being judged …" in page().content.decode()
    run_judge(campaign.runs.get().pk)
    text = page().content.decode()
    assert "Law stays without one point" in text
    assert "without p\xa0=\xa0" in text


def test_the_number_of_queries_is_small(page, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(12):
        page(target="p:4096,n:1000")


def weighed(*probabilities: float, predicted: tuple[float, ...] = ()) -> Weighed:
    exponents = [(1 / 3, 0.0), (0.0, 1.0), (0.5, 0.0), (1.0, 0.0)]
    values = predicted or (1.2,) * len(probabilities)
    rivals = tuple(
        Rival(probability, 0.1, (2.0,), exponents[at], values[at])
        for at, probability in enumerate(probabilities)
    )
    return Weighed(rivals, 1 - sum(probabilities), (), (), ())


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (weighed(0.97), "nearly certain"),
        (weighed(0.8, 0.1), "Most probably"),
        (weighed(0.8, 0.1), "no other law has a probability above 10 %"),
        (
            weighed(0.45, 0.4),
            "do not decide between them (45 %, 40 %), but at p = 512 both predict about 1.2",
        ),
        (
            weighed(0.45, 0.4, predicted=(13.5, 14.6)),
            "but at p = 512 they predict similar values: 13.5 – 14.6 s",
        ),
        (weighed(0.3, 0.3, 0.2, predicted=(1.0, 3.0, 2.0)), "they predict 1 – 3 s, a factor of 3"),
        (weighed(0.2, 0.2, 0.2, 0.2), "or one other"),
    ],
)
def test_the_certainty_of_the_growth_is_described(found: Weighed, words: str) -> None:
    assert words in certainty(found, ["p"], "s", "p = 512")


def test_the_range_of_likely_exponents_is_given() -> None:
    leads = (Lead(0.5, 0.0, 0.6), Lead(1 / 3, 1.0, 0.38), Lead(2.0, 0.0, 0.02))
    [growth] = growths(Weighed((), 1.0, (leads,), (), ()), ["p"], [True])
    assert growth.sentence == "exponent between 1/3 and 1/2 (95 %)"
    assert [bar.probability for bar in growth.bars] == [0.6, 0.38, 0.02]


def test_noise_is_described_in_plain_words(
    application: Application, campaign: Campaign, rf: RequestFactory
) -> None:
    values = np.full((15, 3), np.nan)
    values[:2] = [[1.0, 1.1, 1.2], [1.0, 1.0, 1.0]]
    kinds = (Kind("one-sided", 0.9), Kind("uniform", 0.1))
    card = noise_card(campaign, values, kinds, (0.99, 1.3))
    assert card.meaning.startswith("One-sided (90 %): disturbances only ever make")
    assert card.scatter == "19 of 20 runs differ from the prediction by −1 % to +30 %."
    assert len(card.levels) == 2
    assert "They differ most at p = 4, n = 1,000 (18 %)." in card.sentence
    assert "the noise is unknown" in noise_card(campaign, np.full((15, 1), 1.0), (), None).sentence
    rounds = np.tile(np.linspace(0.8, 1.4, 601), (15, 1))
    card = noise_card(campaign, np.full((15, 1), 1.1), (), None, rounds)
    assert "median of up to 601 rounds in one process" in card.rounds
    assert "by −26 % to +26 %" in card.rounds.replace("\N{NO-BREAK SPACE}", " ")
    assert card.first == ""
    cold = np.random.default_rng(1).normal(1.0, 0.01, (15, 3))
    cold[:, 0] *= 1.25
    campaign.parameters, campaign.points = ["p"], [[2**k] for k in range(15)]
    disturbed = np.array([2.0**k * (2 if k == 7 else 1) for k in range(15)])[:, None]
    page = render_to_string(
        "kernel/noise.html", {"noise": noise_card(campaign, disturbed, (), None)}, rf.get("/")
    )
    told = page.replace("\N{NO-BREAK SPACE}", " ")
    assert "One value lies far off the values beside it: 2× at p = 128. The law leaves it out." in told
    assert noise_card(campaign, disturbed, (), None, modeler="regression").wild == ""
    page = render_to_string("kernel/noise.html", {"noise": noise_card(campaign, cold, (), None)}, rf.get("/"))
    assert "lies 25 % above the others of its point, on average over 15 points" in page.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    zeros = noise_card(campaign, np.zeros((15, 3)), kinds, (1.0, 1.0))
    assert (zeros.sentence, zeros.meaning, zeros.scatter) == ("All repetitions are 0.", "", "")


def test_every_family_of_noise_has_words() -> None:
    assert set(KINDS) == set(SHAPES)
