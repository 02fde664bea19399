import json
import math
import re

import pytest

from ingest.models import Metric, Target
from modeling.models import Comparison, Model, ModelRun, Shift, State
from perfweb.accounts.models import Role
from perfweb.portal.text.formatting import percent
from tests.factories import law_value, make_application, make_campaign, make_member, make_project, make_run
from tests.portal.stories import BAD_HALO, GOOD_HALO, laws, make_story, text

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/"
CALM = "/a/calm/hydro/"
"""The address of an application that a test makes for itself."""


def test_it_works(client, story):
    page = text(client.get(URL))
    total = sum(law_value(law, [65536, 8000]) for law in laws(BAD_HALO).values())
    assert f"version 1.2 is predicted to take {total:.3g} s" in page
    assert "because of halo" in page
    assert "▲ law worse" in page
    assert "share measured share at target" in page
    assert "1 constant kernel below 1 % of the total is hidden" in page


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MAINTAINER])
def test_a_time_without_a_unit_is_not_shown_in_years(client, role):
    """Times in nanoseconds were taken for seconds, and the page showed 801 years."""
    member, application, _ = make_story(role, project="calm")
    Metric.objects.filter(application=application, name="time").update(unit="")
    Model.objects.filter(metric__name="time").update(constant=1e11)
    client.force_login(member)
    answer = client.get(CALM)
    assert "no unit given for time" in text(answer)
    assert not re.search(r"\d (s|h|d|years)\b", text(answer))
    assert ("settings/#metrics" in answer.content.decode()) is (role is Role.MAINTAINER)


def test_the_ratio_to_the_predecessor_is_that_of_the_totals(client, story):
    before, after = (
        sum(law_value(law, [65536, 8000]) for law in laws(halo).values()) for halo in (GOOD_HALO, BAD_HALO)
    )
    summary = client.get(URL).context["summary"]
    assert summary.ratio == pytest.approx(after / before)
    assert summary.cause.row.name == "halo"


def test_the_largest_measured_point_is_not_named_twice(client, story):
    """If it is the target, the ratio there was written twice."""
    target = dict(zip(["p", "n"], map(int, max(story[1][-1].points)), strict=True))
    page = client.get(URL, {"target": ",".join(f"{name}:{value}" for name, value in target.items())})
    assert page.context["summary"].ratio is not None
    assert page.context["summary"].ratio_largest is None


def test_a_small_change_is_not_the_cause_of_a_difference_of_unchanged_kernels(client, story):
    """The prediction of an unchanged kernel differs by more than that of the changed kernel."""
    sweep = Model.objects.filter(run=story[1][-1].runs.get(), kernel__path="main->sweep")
    sweep.update(predicted=sweep.get().predicted + 1e4)
    answer = client.get(URL)
    assert answer.context["summary"].cause is None
    assert "mostly because of noise in kernels that did not change" in text(answer)


def test_a_factor_that_most_kernels_share_is_not_called_noise(client, story):
    """The page did not mention the factor, and called the difference noise."""
    _, campaigns = story
    for model in Model.objects.filter(run=campaigns[-1].runs.get()).exclude(kernel__path="main->halo"):
        model.predicted *= 1e3
        model.save(update_fields=["predicted"])
    comparison, metric = Comparison.objects.get(after=campaigns[-1]), Metric.objects.get(name="time")
    Shift.objects.create(comparison=comparison, metric=metric, ratio=1e3, lower=990, upper=1010)
    page = text(client.get(URL))
    assert "a factor of 1,000× that most kernels share (machine, compiler flags or common code)" in page
    assert "mostly because of noise" not in page


def test_totals_of_different_kernels_have_no_ratio(client, story):
    """The total of one version is its main program. The total of the other version is the sum of the main
    program's parts.
    """
    Model.objects.filter(run=story[1][-1].runs.get(), kernel__path="main->setup").update(
        counts_to_total=False
    )
    answer = client.get(URL)
    assert answer.context["summary"].ratio is answer.context["summary"].ratio_largest is None
    assert "because of halo" not in text(answer)


def test_shares_are_of_the_whole_program(client, story):
    lines = client.get(URL, {"constants": "show"}).context["lines"]
    assert sum(line.share_target for line in lines) == pytest.approx(1.0)
    assert sum(line.share_largest for line in lines) == pytest.approx(1.0)
    assert [line.kernel.name for line in lines] == ["halo", "sweep", "setup"]


def test_an_older_version_is_compared_with_its_own_predecessor(client, story):
    page = text(client.get(URL, {"version": "1.1"}))
    assert "since 1.0" in page
    assert "▲ law worse" not in page


def test_the_first_version_has_no_predecessor(client, story):
    answer = client.get(URL, {"version": "1.0"})
    assert answer.context["summary"].ratio is None
    assert "Compare with" not in text(answer)


def test_any_target_can_be_requested(client, story):
    answer = client.get(URL, {"at.p": "2048", "at.n": "1000"})
    expected = sum(law_value(law, [2048, 1000]) for law in laws(BAD_HALO).values())
    assert answer.context["summary"].total.predicted == pytest.approx(expected)
    assert "target=p%3A2048%2Cn%3A1000" in answer.content.decode()


def test_a_named_target_is_the_same_as_its_values(client, story):
    application, _ = story
    Target.objects.create(application=application, name="rack", values={"n": 1000, "p": 2048}, position=1)
    named = client.get(URL, {"target": "rack"}).context["summary"].total
    assert client.get(URL, {"target": "p:2048,n:1000"}).context["summary"].total == named


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": "p:many,n:1"}, "p must be a number above 0"),
        ({"target": "p:-1,n:1"}, "p must be a number above 0"),
        ({"target": "p:12"}, "a value for n"),
        ({"target": "no such"}, "sets no parameter"),
        ({"metric": "watts"}, "no metric “watts”"),
        ({"machine": "moon"}, "no machine “moon”"),
        ({"version": "9.9"}, "“9.9” was not measured"),
        ({"sort": "x", "along": "x", "constants": "x"}, "predicted to take"),
    ],
)
def test_an_invalid_choice_shows_a_message(client, story, asked, message):
    answer = client.get(URL, asked)
    assert answer.status_code == 200
    assert message in text(answer)


def test_the_choice_is_kept_in_every_link(client, story):
    page = client.get(URL, {"target": "p:2048,n:1000", "version": "1.1"}).content.decode()
    links = re.findall(r'href="(/a/storm/hydro/(?:history|compare)/[^"]*|/campaigns/[^"]*)"', page)
    assert links
    assert all("target=p%3A2048%2Cn%3A1000" in link for link in links)


def test_chart_and_table_agree(client, story):
    figure = client.get(URL).context["figure"]
    lines = {line.kernel.name: line for line in client.get(URL).context["lines"]}
    named = dict(zip(figure.columns[1:], figure.rows[-1][1:], strict=True))
    assert figure.rows[-1][0] == "65,536"
    share, interval = named["halo"].split(" % (")
    assert share == f"{100 * lines['halo'].share_target:.2g}"
    ends = [lines["halo"].share_lower, lines["halo"].share_upper]
    assert interval == f"{math.floor(100 * ends[0])} – {math.ceil(100 * ends[1])} %)"
    labels = figure.layout["annotations"]
    assert any(interval.removesuffix(")") in label.get("hovertext", "") for label in labels)
    assert any(trace.get("fillpattern") for trace in figure.data)
    assert "setup" in named
    assert not any(
        "setup" in label["text"] for label in figure.layout["annotations"]
    )  # it is less than 0.1 %


def test_each_label_of_the_shares_has_the_colour_of_its_area(client, story):
    figure = client.get(URL).context["figure"]
    colour_of = {trace["name"]: trace["fillcolor"] for trace in figure.data}
    for layout in (figure.layout, figure.layout["meta"]["wide"]):
        squares, names = layout["annotations"][::2], layout["annotations"][1::2]
        assert [square["y"] for square in squares] == [name["y"] for name in names]
        written = [name["text"].split(" ")[0] for name in names]
        assert [square["font"]["color"] for square in squares] == [colour_of[name] for name in written]


def test_efficiency_needs_processes(client, story):
    assert "Weak-scaling efficiency relative to p = 4" in text(client.get(URL))
    application, _ = story
    application.parameters.update(role="other")
    assert "efficiency" not in text(client.get(URL)).partition("How the numbers are made")[0]


def test_a_metric_that_was_not_measured_is_named(client, story):
    Metric.objects.create(application=story[0], name="bytes", unit="bytes")
    assert "No bytes in this version" in text(client.get(URL, {"metric": "bytes"}))


def test_an_unfinished_run_shows_its_progress_and_reloads(client, story):
    ModelRun.objects.filter(campaign=story[1][-1]).update(state=State.RUNNING, series_done=1, series_total=3)
    answer = client.get(URL)
    assert "Being modelled: 1 of 3 series" in text(answer)
    assert 'hx-trigger="every 2s"' in answer.content.decode()


def test_a_failed_run_shows_its_error(client, story):
    ModelRun.objects.filter(campaign=story[1][-1]).update(state=State.FAILED, error="It ate its worker.")
    assert "It ate its worker." in text(client.get(URL))


def test_an_application_without_measurements_shows_an_empty_page(client):
    project = make_project("calm")
    make_application(project)
    client.force_login(make_member(project))
    assert "Nothing stored yet" in text(client.get(CALM))


def test_a_campaign_that_waits_to_be_modelled_is_announced(client):
    project = make_project("calm")
    make_campaign(make_application(project), "1.0")
    client.force_login(make_member(project))
    assert "Waiting to be modelled" in text(client.get(CALM))


def test_without_a_target_predictions_are_for_the_largest_values(client):
    project = make_project("calm")
    application = make_application(project)
    make_run(make_campaign(application, "1.0"), laws())
    application.targets.all().delete()
    ModelRun.objects.update(target={"p": 1024, "n": 4000})
    client.force_login(make_member(project))
    assert "At p = 1,024, n = 4,000" in text(client.get(CALM))


def test_a_user_of_another_project_gets_404(client, story):
    client.force_login(make_member(make_project()))
    assert client.get(URL).status_code == 404


@pytest.mark.parametrize("status", ["does not fit", "too few values"])
def test_a_law_with_too_few_values_is_marked(client, story, status):
    Model.objects.filter(kernel__path="main->halo").update(status=status)
    marked = re.findall(r'<span class="mark">([^<]*)</span>', client.get(URL).content.decode())
    assert marked == [status]


def test_only_maintainers_see_the_settings(client, story):
    assert "/settings/" not in client.get(URL).content.decode()
    client.force_login(make_member(story[0].project, Role.MAINTAINER))
    assert "/a/storm/hydro/settings/" in client.get(URL).content.decode()


@pytest.mark.parametrize("asked", [{}, {"target": "p:2048,n:1000"}])
def test_queries_do_not_grow_with_kernels_and_versions(client, django_assert_max_num_queries, asked):
    member, _, _ = make_story(versions=8, more=60, project="calm")
    client.force_login(member)
    client.get(CALM)
    with django_assert_max_num_queries(12):
        client.get(CALM, asked)


def test_unknown_totals_are_named_and_have_no_efficiency(client, story):
    Model.objects.filter(kernel__path="main->halo").update(growth="not identifiable")
    answer = client.get(URL)
    assert answer.context["efficiency"] is None
    page, summary = text(answer), answer.context["summary"]
    assert f"{percent(summary.unknown)} of it comes from kernels whose growth" in page
    assert "the interval leaves out their uncertainty" not in page


def test_a_small_unknown_part_does_not_widen_the_interval(client, story):
    total = sum(law_value(law, [65536, 8000]) for law in laws(BAD_HALO).values())
    Model.objects.filter(kernel__path="main->setup").update(growth="not identifiable", predicted=0.02 * total)
    assert "from so few values; the interval leaves out their uncertainty" in text(client.get(URL))


def test_an_interval_is_shown_with_its_assumptions(client, story):
    known = client.get(URL)
    assert known.context["efficiency"]
    assert "95 %, if the laws hold" in text(known)


def test_without_any_interval_none_is_shown(client, story):
    Model.objects.update(lower=None, upper=None)
    answer = client.get(URL)
    assert (answer.context["summary"].total.lower, answer.context["summary"].total.upper) == (None, None)
    assert "no interval: too few values" in text(answer)


def test_a_single_version_has_no_line_over_versions(client):
    member, _, _ = make_story(versions=1, project="calm")
    client.force_login(member)
    page = client.get(CALM).content.decode()
    assert "over 1 versions" not in page
    assert 'class="course"' not in page
    assert '<h2 id="versions">' not in page
    assert re.search(r"<th[^>]*>\s*</th>", page) is None
    assert not re.search(r'data-label="(versions|since)"', page)


def test_with_inclusive_values_the_bottleneck_is_not_the_root(client):
    application = make_application(make_project("calm"))
    grows = (0, 0, 1, 0)
    program = {
        "main": (0.0, [(1.0, grows)]),
        "main->loop": (0.0, [(0.9, grows)]),
        "main->loop->update": (0.0, [(0.8, grows)]),
        "main->loop->update->pack": (0.0, [(0.2, grows)]),
    }
    run = make_run(make_campaign(application, "1.0"), program)
    Model.objects.filter(run=run).exclude(kernel__path="main").update(counts_to_total=False)
    client.force_login(make_member(application.project))
    page = text(client.get(CALM))
    assert "Most of it is spent below update : 80 % of the total, callees included." in page


def test_a_program_whose_parts_are_unknown_has_no_bottleneck_and_no_picture_of_shares(client):
    application = make_application(make_project("calm"))
    run = make_run(
        make_campaign(application, "1.0"), {"main": (0.0, [(1.0, (1, 0, 0, 0))]), "solve": (1.0, [])}
    )
    Model.objects.filter(run=run, kernel__path="solve").update(counts_to_total=False)
    client.force_login(make_member(application.project))
    answer = client.get(CALM)
    page = text(answer)
    assert "The total is that of main, which contains all other kernels." in page
    assert "100 % of the total" not in page
    assert "Shares of time" not in page
    assert "efficiency" in page


def test_labels_of_shares_fit_into_a_line(client):
    name = "main [mpi=OpenMPI, variable=MPI_Gather_{}, and more]"
    laws = {name.format(letter): (size, []) for size, letter in ((1.0, "a"), (10.0, "b"), (100.0, "c"))}
    application = make_application(make_project("calm"))
    make_run(make_campaign(application, "1.0"), laws)
    client.force_login(make_member(application.project))
    layout = json.loads(client.get(CALM).context["figure"].json)["layout"]
    labels = [note["text"] for note in layout["meta"]["wide"]["annotations"]]
    assert len(labels) == 2 * len(laws)
    assert not any("\n" in label or "<br>" in label for label in labels)


def test_the_page_says_which_kernels_make_up_the_total(client, story):
    answer = client.get(URL)
    assert f"the sum of {len(answer.context['snapshot'].rows)} kernels" in text(answer)
    Model.objects.exclude(kernel__path="main->halo").update(counts_to_total=False)
    ModelRun.objects.update(judged=1)  # Another state of the run, so that the page does not use its cache.
    assert "The total is that of halo, which contains all other kernels." in text(client.get(URL))


def test_the_page_shows_the_correlation_of_kernels(client, story):
    metric = Metric.objects.get()
    ModelRun.objects.update(judged=1, shared={str(metric.pk): [8.0, 6.0, 40.0]})
    assert "deviate from their laws together (correlation 0.7)" in client.get(URL).content.decode()


def test_a_column_without_any_value_is_left_out(client, story):
    Model.objects.update(largest=None)
    page = text(client.get(URL))
    assert "share measured" not in page
    assert "share at target" in page
