"""The kernel page: fit, history, data, and the page's state in its address."""

import json
import re

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from ingest.models import Application, Campaign, Kernel, Series
from modeling.models import Change, Forecast, Model
from perfweb.portal.charts.fit.figure import ZEROS
from perfweb.portal.text.laws import power
from tests.factories import law_value, make_application, make_change, make_comparison, make_member
from tests.measured import STORY, make_measured

pytestmark = pytest.mark.django_db

NBSP = "\N{NO-BREAK SPACE}"

HALO = "main->timestep->halo_exchange"
BEFORE = STORY | {HALO: (0.021, [(8.8e-3, (1 / 3, 0.0, 0.0, 0.0))])}


@pytest.fixture(scope="module")
def measured_once(rows_of_module: None) -> int:
    application = make_application()
    before, _ = make_measured(application, "1.2.1", BEFORE)
    after, _ = make_measured(application, "1.3.0")
    make_change(make_comparison(before, after), HALO, Change.Kind.LAW, 2.31)
    return after.pk


@pytest.fixture
def campaign(measured_once: int) -> Campaign:
    return Campaign.objects.get(pk=measured_once)


@pytest.fixture
def application(campaign: Campaign) -> Application:
    return campaign.version.application


@pytest.fixture
def url(application: Application, campaign: Campaign) -> str:
    return reverse("kernel", args=[campaign.pk, kernel(application).pk])


def kernel(application: Application, path: str = HALO) -> Kernel:
    return application.kernels.get(path=path)


def test_it_works(member: Client, url: str) -> None:
    text = member.get(url).content.decode()
    assert "law worse" in text
    assert "like <var>p</var><sup>2/3</sup>" in text
    assert "64× beyond p = 1,024, 2× beyond n = 4,000" in text.replace(NBSP, " ")
    assert "does not depend on n" in text
    assert "style=" not in text


@pytest.mark.parametrize("tab", ["fit", "history", "modelers"])
def test_the_laws_of_a_page_have_one_readable_unit_and_copies_the_metric_s(
    member: Client, url: str, tab: str
) -> None:
    page = member.get(url, {"tab": tab, "fit": "now"}).content.decode()
    assert set(re.findall(r'<span class="law-unit">([^<]*)</span>', page)) == {"ms"}
    copies = re.findall(r'data-copy="([^"]*)">text', page)
    assert all(text.startswith("0.021 + ") for text in copies)
    assert bool(copies) == (tab == "fit")


def test_strangers_and_wrong_kernels_get_404(client: Client, member: Client, url: str) -> None:
    other = make_application(slug="other")
    foreign = Kernel.objects.create(application=other, path="x")
    assert member.get(url.replace(url.split("/")[-2], str(foreign.pk))).status_code == 404
    client.force_login(make_member(other.project))
    assert client.get(url).status_code == 404
    assert client.get(f"{url}data.csv").status_code == 404


def test_the_prediction_is_the_law_at_the_target(member: Client, url: str) -> None:
    found = member.get(url, {"target": "p:4096,n:2000"}).context["prediction"]
    assert found.predicted == pytest.approx(law_value(STORY[HALO], [4096, 2000]))
    assert found.lower < found.predicted < found.upper


def test_numbers_typed_into_the_form_become_the_target_in_the_address(member: Client, url: str) -> None:
    answer = member.get(url, {"at-p": "4096", "at-n": "nonsense", "x": "n"})
    assert answer.status_code == 302
    assert answer["Location"] == f"{url}?x=n&target=p%3A4096%2Cn%3A8000"


def test_the_chart_shows_every_run_the_law_and_the_previous_law(member: Client, url: str) -> None:
    page = member.get(url).context
    chart, contour = page["figure"], page["plane"]
    data = json.loads(chart.json)
    runs = [trace for trace in data["data"] if any("run 1 at" in text for text in trace.get("text", []))]
    assert len(runs) == 1
    assert len(runs[0]["x"]) == 5 * 5  # Number of points on the slice × number of repetitions.
    assert any("1.2.1 (before)" in note["text"] for note in data["layout"]["annotations"])
    assert data["layout"]["xaxis"]["ticktext"][-1] == "65,536"
    assert "n = 4,000" in chart.caption
    assert json.loads(contour.json)["data"][0]["type"] == "contour"


def test_axis_and_slice_can_be_chosen(member: Client, url: str) -> None:
    chart = member.get(url, {"x": "n", "fix-p": "16", "scale": "lin-lin"}).context["figure"]
    layout = json.loads(chart.json)["layout"]
    assert layout["xaxis"]["type"] == layout["yaxis"]["type"] == "linear"
    assert "along n at p = 16" in chart.caption
    assert [row[0] for row in chart.rows] == ["1,000", "2,000", "4,000", "8,000 (target)"]


@pytest.mark.parametrize(
    "asked",
    [
        {"x": "zz"}, {"fix-n": "7"}, {"scale": "x"}, {"tab": "x"}, {"target": "p:1e300,n:1e300"},
        {"target": "p:2"}, {"metric": "none"}, {"fix-n": "inf"},
    ],
)  # fmt: skip
def test_invalid_values_in_the_address_are_ignored(member: Client, url: str, asked: dict[str, str]) -> None:
    found, default = member.get(url, asked).context, member.get(url).context
    assert found["prediction"] == default["prediction"]
    assert found["figure"].json == default["figure"].json


@pytest.mark.parametrize("scale", ["", "lin-lin"])
@pytest.mark.parametrize("target", [(1e30, 1e30), (0.5, 0.5)])
def test_a_target_may_lie_anywhere(member: Client, url: str, target: tuple[float, float], scale: str) -> None:
    p, n = target
    found = member.get(url, {"target": f"p:{p:g},n:{n:g}", "scale": scale}).context
    assert found["prediction"].predicted == pytest.approx(law_value(STORY[HALO], [p, n]))
    chart = json.loads(found["figure"].json, parse_constant=pytest.fail)
    assert len(chart["data"]) > 1


def test_missing_points_and_uncertain_laws_are_mentioned(member: Client, application: Application) -> None:
    campaign, run = make_measured(application, "2", missing=[3, 4])
    Model.objects.filter(run=run).update(points_used=13, status="few values")
    text = member.get(reverse("kernel", args=[campaign.pk, kernel(application).pk])).content.decode()
    assert "2 of the campaign&#x27;s 15 points were not measured for this kernel" in text
    assert "fewer than five values" in text


def test_the_chart_hatches_what_lies_beyond_the_kernels_own_points(
    member: Client, application: Application
) -> None:
    campaign, _ = make_measured(application, "2", missing=[12, 13, 14])
    assert {point[0] for point in campaign.points[12:]} == {1024}
    page = member.get(reverse("kernel", args=[campaign.pk, kernel(application).pk])).context
    drawn = json.loads(page["figure"].json)
    hatched = next(trace for trace in drawn["data"] if "fillpattern" in trace)
    assert min(hatched["x"]) == 256
    marks = [note for note in drawn["layout"]["annotations"] if note["text"].endswith("×")]
    assert [(note["text"], round(10 ** note["x"] / 256)) for note in marks] == [
        ("4×", 4), ("16×", 16), ("64×", 64), ("256×", 256),
    ]  # fmt: skip
    assert "marks at multiples of p = 256" in page["figure"].caption
    assert "256× beyond p = 256" in page["facts"][0].value


def test_without_a_model_the_measurements_are_shown(member: Client, campaign: Campaign, url: str) -> None:
    Model.objects.all().delete()
    text = member.get(url).content.decode()
    assert "No model yet" in text
    assert "There is no law" in text


def test_a_constant_law(member: Client, application: Application, campaign: Campaign) -> None:
    url = reverse("kernel", args=[campaign.pk, kernel(application, "main->setup").pk])
    answer = member.get(url)
    assert answer.context["prediction"].predicted == pytest.approx(0.12)
    assert "Does not depend on p or n" in answer.content.decode()


def test_scored_forecasts_are_listed(member: Client, campaign: Campaign, url: str) -> None:
    model = Model.objects.get(run__campaign=campaign, kernel__path=HALO)
    Forecast.objects.create(
        model=model, campaign=campaign, points=[[2048, 1000], [4096, 1000]], predicted=[1, 2],
        lower=[0.9, 1.9], upper=[1.1, 2.1], measured=[1.05, 2.5], relative_error=0.12,
    )  # fmt: skip
    text = member.get(url).content.decode().replace(NBSP, " ")
    assert "1 of 2 points inside the 95 % interval, median error up to 12 %" in text


def test_history_escapes_labels_and_tiny_percentages(
    member: Client, url: str, application: Application
) -> None:
    """Its rows are put together by hand, so each text needs its own escape."""
    Model.objects.filter(kernel=kernel(application)).update(noise=0.0004)
    application.versions.filter(label="1.2.1").update(label='1.2"><script>', commit="abc<i>")
    page = member.get(url, {"tab": "history"}).content.decode()
    assert "&lt; 0.1 %" in page
    assert "1.2&quot;&gt;&lt;script&gt;" in page
    assert not any(text in page for text in ("< 0.1 %", '1.2"><script>', "abc<i>"))


def test_history_names_the_version_that_changed_it(member: Client, url: str) -> None:
    answer = member.get(url, {"tab": "history"})
    newest, first = answer.context["steps"]
    assert (newest.standing.label, newest.verdict.value) == ("1.3.0", "law_worse")
    assert first.predicted == pytest.approx(law_value(BEFORE[HALO], [65536, 8000]))
    elsewhere = member.get(url, {"tab": "history", "target": "p:4096,n:1000"}).context["steps"][1]
    assert elsewhere.predicted == pytest.approx(law_value(BEFORE[HALO], [4096, 1000]))


def laws_in(page: str) -> list[str]:
    """Return the HTML of the laws on a page."""
    return re.findall(r'<span class="law">.*?</span></span>', page)


def test_unchanged_versions_have_one_law(member: Client, application: Application, url: str) -> None:
    """Modelled alone, version 1.4 has another law than 1.3.0, although the kernel did not change."""
    last = Campaign.objects.get(version__label="1.3.0")
    flickering = STORY | {HALO: (0.4, [(0.02, (0.5, 0.0, 0.0, 0.0))])}
    campaign, _ = make_measured(application, "1.4", laws=STORY)
    make_comparison(last, campaign)
    lawless = Model.objects.filter(run__campaign=campaign, kernel__path=HALO)
    lawless.update(
        constant=flickering[HALO][0],
        coefficients=[0.02],
        exponents=[0.5, 0, 0, 0],
        lead_exponents=[0.5, 0, 0, 0],
    )
    answer = member.get(url, {"tab": "history"})
    page = answer.content.decode()
    assert "1.3.0 to 1.4 together" in page
    assert "1.4 alone:" in page
    newest, before = answer.context["body"].split("</tr>")[:2]
    assert before.count(">the same</span>") == 2  # its law, and how this law grows
    common = Model.objects.get(run__campaign=last, kernel__path=HALO)
    assert str(power("p", *common.lead_exponents[:2])) in newest
    assert str(power("p", 0.5, 0)) not in newest
    # Stored laws may have unused places for further terms, but the law of all versions together has none.
    for model in Model.objects.filter(kernel__path=HALO):
        model.coefficients += [0.0] * 3
        model.exponents += [0.0] * 12
        model.save()
    assert laws_in(member.get(url, {"tab": "history"}).content.decode()) == laws_in(page)


def test_versions_that_were_not_compared_are_not_called_the_same(
    member: Client, application: Application, url: str
) -> None:
    make_measured(application, "1.4", laws=STORY)
    answer = member.get(url, {"tab": "history"})
    newest = answer.context["steps"][0]
    assert (newest.standing.label, newest.verdict) == ("1.4", None)
    assert "1.3.0 to 1.4 together" not in answer.content.decode()


def test_the_data_tab_shows_every_point_and_exports_it(member: Client, url: str) -> None:
    answer = member.get(url, {"tab": "data"})
    assert answer.content.decode().count('class="runs"') == 15
    # All values have one unit, in which the middle one is easy to read.
    factor, median = answer.context["factor"], answer.context["points"][7].median
    assert 1 <= median / factor < 1000
    assert f"Every point and every run, in {answer.context['unit']}" in answer.content.decode()
    rows = json.loads(member.get(f"{url}data.json").content)
    assert len(rows) == 15
    assert rows[0]["p"] == 4
    assert rows[0]["law [s]"] == pytest.approx(law_value(STORY[HALO], [4, 1000]))
    assert rows[0]["residual"] == pytest.approx(rows[0]["median [s]"] / rows[0]["law [s]"] - 1)
    assert member.get(f"{url}data.csv").content.decode().count("\n") == 16


def test_a_change_is_marked_at_its_version_even_if_labels_are_numbers(member: Client, url: str) -> None:
    drawn = json.loads(member.get(url, {"tab": "history"}).context["figure"].json)
    assert [(note["x"], note["text"]) for note in drawn["layout"]["annotations"]] == [(1, "law worse")]


@pytest.mark.parametrize("tab", ["fit", "history", "data"])
def test_the_number_of_queries_is_small_and_constant(
    member: Client,
    application: Application,
    url: str,
    tab: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for label in ("2", "3", "4"):
        campaign, _ = make_measured(application, label)
    address = reverse("kernel", args=[campaign.pk, kernel(application).pk])
    for asked in ({"tab": tab}, {"tab": tab, "target": "p:4096,n:1000"}):
        with django_assert_max_num_queries(12):
            member.get(address, asked)


def test_runs_of_0_are_at_the_edge_of_a_logarithmic_axis_and_have_no_residual(
    member: Client, url: str
) -> None:
    series = Series.objects.filter(kernel__path=HALO).latest("pk")
    series.values = [0.0, *series.values[1:]]
    series.save()
    answer = member.get(url, {"fix-n": "1000"})
    drawn = json.loads(answer.context["figure"].json)
    assert drawn["layout"]["yaxis"]["type"] == "log"
    zero = next(trace for trace in drawn["data"] if "run 1 at p = 4, n = 1,000: 0 s" in trace.get("text", []))
    assert zero["y"] == [pytest.approx(10 ** drawn["layout"]["yaxis"]["range"][0], rel=0.02)]
    assert drawn["layout"]["yaxis2"]["range"][0] > -50
    assert ZEROS in answer.context["figure"].caption


def test_the_choice_of_scales_names_what_the_chart_shows(member: Client, url: str) -> None:
    assert '<option value="log-log" selected >' in member.get(url).content.decode()
    Model.objects.update(constant=-1e6)
    page = member.get(url, {"scale": "log-log"}).content.decode()
    assert '<option value="log-lin" selected >' in page
    assert '<option value="log-log"  disabled>' in page


def test_an_extremely_wide_interval_leaves_the_measurements_readable(member: Client, url: str) -> None:
    Model.objects.update(covariance=[1e12, 0.0, 0.0, 1e12])
    for scale, most in (("log-log", 3.4 + 0.5), ("lin-lin", 3.2 * 22.9)):
        layout = json.loads(member.get(url, {"scale": scale}).context["figure"].json)["layout"]
        assert layout["yaxis"]["range"][1] < most


def test_surface_and_contour_have_the_same_values(member: Client, url: str) -> None:
    contour = member.get(url).context["plane"]
    surface, *_ = member.get(contour.surface).json()["data"]
    flat = json.loads(contour.json)["data"][0]
    assert (surface["x"], surface["y"]) == (flat["x"], flat["y"])
    assert np.allclose(surface["surfacecolor"], flat["z"], rtol=0, atol=1e-4)
    assert surface["z"][-1][-1] == pytest.approx(law_value(STORY[HALO], [65536, 8000]))
    assert surface["text"][-1][-1].endswith("at p = 65,536, n = 8,000")
    assert surface["text"][0][1].endswith("at p = 6.10, n = 1,000")


def test_the_surface_shows_measured_points_and_the_target(member: Client, url: str) -> None:
    contour = member.get(url).context["plane"]
    _, measured, goal = member.get(contour.surface).json()["data"]
    marked = next(trace for trace in json.loads(contour.json)["data"] if trace.get("mode") == "markers")
    assert len(measured["x"]) == len(marked["x"])
    assert measured["text"][0].startswith("measured ")
    assert goal["z"] == [pytest.approx(law_value(STORY[HALO], [65536, 8000]))]
    assert goal["text"] == ["predicted 22.9 s at p = 65,536, n = 8,000"]


def test_the_label_at_the_target_lies_above_the_law_and_its_band(member: Client, url: str) -> None:
    drawn = json.loads(member.get(url).context["figure"].json)
    notes = [note for note in drawn["layout"]["annotations"] if "95 %" in note["text"]]
    assert notes
    top = drawn["layout"]["yaxis"]["range"][1]
    heights = [np.log10(max(y for y in trace["y"] if y)) for trace in drawn["data"] if "fillcolor" in trace]
    assert notes[0]["y"] == pytest.approx(min(top, max(heights)), abs=0.2)
    assert notes[0]["y"] <= top


def test_contour_lines_are_where_the_law_has_their_value(member: Client, url: str) -> None:
    contour = member.get(url).context["plane"]
    drawn = json.loads(contour.json)
    wash, *lines = (trace for trace in drawn["data"] if trace.get("type") == "contour")
    labels = [parsed(label["text"]) for label in drawn["layout"]["annotations"]]
    assert len(labels) >= 3
    levels = []
    for line in lines:
        # Values are drawn as logarithms, and not distorted to space the levels evenly.
        assert line["z"] == wash["z"]
        ends = line["contours"]
        steps = round((ends["end"] - ends["start"]) / ends["size"])
        levels += [10 ** (ends["start"] + step * ends["size"]) for step in range(steps + 1)]
    assert sorted(levels) == pytest.approx(sorted(labels))


def parsed(quantity: str) -> float:
    """Return the number of seconds: "20 ms" → 0.02."""
    number, unit = quantity.split()
    return float(number) * {"µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit]


def test_the_link_to_the_surface_keeps_the_choices_of_the_page(member: Client, url: str) -> None:
    contour = member.get(url, {"x": "n", "target": "p:4096,n:2000"}).context["plane"]
    surface, _, goal = member.get(contour.surface).json()["data"]
    assert (goal["x"], goal["y"]) == ([2000], [4096])
    assert (surface["x"][-1], surface["y"][-1]) == (pytest.approx(4000), pytest.approx(4096))
