import re

import pytest
from django.db.models import Value
from django.db.models.functions import Concat

from ingest.models import Kernel, Machine
from modeling.models import Change, Comparison, Model, Shift
from modeling.services.predictions.trends import trends_follow
from perfweb.portal.text import formatting
from tests.factories import law_value, make_application, make_member, make_project
from tests.portal.stories import BAD_HALO, GOOD_HALO, make_story, text

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/history/"
CALM = "/a/calm/hydro/history/"
"""The address of an application that a test makes for itself."""


def test_it_works(client, story):
    application, campaigns = story
    answer = client.get(URL)
    page = answer.content.decode()
    halo = application.kernels.get(path="main->halo")
    assert [row.kernel.name for row in answer.context["page"].rows] == ["halo"]
    assert answer.context["page"].kernel_count == 3
    assert f'href="/campaigns/{campaigns[-1].pk}/kernels/{halo.pk}/"' in page
    assert "▲&nbsp;115× slower" in page
    assert page.count('class="cell cell-law_worse"') == 1


def test_what_stays_at_the_default_target_says_so(client, story):
    usual, elsewhere = read(client, [URL, f"{URL}?target=p:1024,n:4000"])
    assert "The whole program at" not in usual
    assert "largest steps are those at" not in usual
    default = "p = 65,536, n = 8,000"
    assert f"The whole program at {default}" in elsewhere
    assert f"The lines over all versions and the largest steps are those at {default}" in elsewhere


def test_an_unnamed_machine_is_not_mentioned(client, story):
    pages = [f"{URL}?until=0.9", "/a/storm/hydro/compare/?before=0.9"]
    history, comparison = read(client, pages)
    assert "no version “0.9” on cluster-a" in history
    assert "“0.9” was not measured on cluster-a" in comparison
    Machine.objects.update(name=Machine.UNNAMED)
    assert not any(Machine.UNNAMED in page for page in read(client, pages))


def read(client, pages):
    return [text(client.get(page)) for page in pages]


def test_all_kernels_are_listed_on_request(client, story):
    rows = client.get(URL, {"kernels": "all"}).context["page"].rows
    assert [row.kernel.name for row in rows] == ["halo", "sweep", "setup"]
    rows = client.get(URL, {"kernels": "all", "sort": "name"}).context["page"].rows
    assert [row.kernel.name for row in rows] == ["halo", "setup", "sweep"]
    rows = client.get(URL, {"kernels": "all", "q": "SWE"}).context["page"].rows
    assert [row.kernel.name for row in rows] == ["sweep"]


def test_the_page_says_that_nothing_changed(client, story):
    Change.objects.all().delete()
    page = text(client.get(URL))
    assert "None of the 3 kernels changed beyond noise" in page
    assert "None of these kernels has “nowhere”" in text(client.get(URL, {"q": "nowhere"}))


def test_a_change_shows_both_laws_and_its_time(client, story):
    _, campaigns = story
    [tip] = re.findall(r'<span class="tip".*?</span></td>', client.get(URL).content.decode())
    read = re.sub(r"<[^>]+>", " ", tip)
    assert re.search(r"1\.1: +30 .* ms .*1\.2: +21 .* ms ", read)
    assert "law worse" in read
    assert campaigns[-1].version.commit[:7] in read


def test_a_tip_says_why_predictions_make_another_ratio(client, story):
    """The comparison leaves out the factor that kernels share, but both versions' own laws contain it."""
    [halo] = client.get(URL).context["page"].rows
    own = halo.cells[-1].predicted / halo.cells[-1].predicted_before
    for ratio, said in ((own, False), (own * 1.04, False), (own / 2, True)):
        Change.objects.update(ratio=ratio)
        page = text(client.get(URL))
        assert ("The comparison finds" in page) == said
        if said:
            words = (
                f"separate laws make {formatting.ratio(own)}. The comparison finds {formatting.ratio(ratio)},"
            )
            assert words in page
    # At another target the change is that of the predictions.
    assert "separate laws" not in text(client.get(URL, {"target": "p:1024,n:4000"}))


def test_names_from_the_database_are_escaped(client, story):
    application, _ = story
    application.versions.update(label=Concat(Value("<i>"), "label"))
    application.metrics.update(unit="<b>")
    Kernel.objects.filter(path="main->halo").update(path='main->"halo<u>')
    for query in ({}, {"target": "p:1024,n:4000"}):
        page = client.get(URL, {"kernels": "all"} | query).content.decode()
        assert "&lt;i&gt;1.2" in page
        assert "halo&lt;u&gt;" in page
        assert not re.search("<(i|b|u)>", page)


def test_a_factor_that_most_kernels_share_is_named(client, story):
    """An upgrade of the machine is no change of a kernel, so no row of the table shows it."""
    comparison = Comparison.objects.latest("pk")
    labels = [comparison.before.version.label, comparison.after.version.label]
    change = comparison.changes.first()
    factors = [
        (1.84, 1.83, 1.85, True),
        (0.5, 0.45, 0.55, True),
        (1.04, 1.03, 1.05, False),
        (1.3, 0.9, 1.9, False),
    ]
    for ratio, lower, upper, named in factors:
        Shift.objects.filter(comparison=comparison).delete()
        Shift.objects.create(
            comparison=comparison, metric=change.metric, ratio=ratio, lower=lower, upper=upper, growth=[]
        )
        answer = client.get(URL)
        sentence = f"From {labels[0]} to {labels[1]}, most kernels share a factor of"
        assert (sentence in text(answer)) == named
        if named:
            assert [step.ratio for step in answer.context["page"].shared] == [ratio]
            [address] = re.findall(r'href="([^"]*)">Compare both', answer.content.decode())
            assert client.get(address.replace("&amp;", "&")).status_code == 200
    Shift.objects.all().delete()
    assert client.get(URL).context["page"].shared == ()


def test_a_large_improvement_is_shown_as_a_factor(client, story):
    Change.objects.update(ratio=3.8e-5)
    assert "▼&nbsp;26,000× faster" in client.get(URL).content.decode()


def test_unchanged_kernels_without_a_comparison_have_no_verdict(client, story):
    Comparison.objects.all().delete()
    rows = client.get(URL, {"kernels": "all"}).context["page"].rows
    assert {cell.verdict for row in rows for cell in row.cells} == {None}


def test_new_and_removed_kernels_are_listed(client, story):
    application, campaigns = story
    only = Kernel.objects.create(application=application, path="main->output")
    Model.objects.filter(run__campaign=campaigns[-1], kernel__path="main->sweep").update(kernel=only)
    trends_follow(application, campaigns[-1].machine, campaigns[-1].version_id)
    rows = {row.kernel.name: row for row in client.get(URL).context["page"].rows}
    assert set(rows) == {"halo", "sweep", "output"}
    assert rows["output"].cells[-1].new
    assert rows["sweep"].cells[-1].gone


def test_another_target_shows_the_predictions_of_the_laws_there(client, story):
    context = client.get(URL, {"kernels": "all", "target": "p:1024,n:4000"}).context
    halo = next(row for row in context["page"].rows if row.kernel.name == "halo")
    wanted = law_value(BAD_HALO, [1024, 4000]) / law_value(GOOD_HALO, [1024, 4000])
    assert halo.cells[-1].ratio == pytest.approx(wanted, rel=1e-6)
    assert halo.cells[-1].predicted == pytest.approx(law_value(BAD_HALO, [1024, 4000]), rel=1e-6)


def test_the_page_says_that_a_version_no_longer_exists(client, story):
    assert "There is no version “0.7” on cluster-a" in text(client.get(URL, {"until": "0.7"}))


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_the_axis_is_logarithmic_by_default(client, story, scale):
    figure = client.get(URL, {"scale": scale}).context["figure"]
    assert figure.layout["yaxis"]["type"] == scale


def test_the_first_version_has_no_changes(client, story):
    rows = client.get(URL).context["page"].rows
    assert all(row.cells[0].verdict is None for row in rows)


def test_long_histories_are_divided_into_windows(client):
    member, _, _ = make_story(versions=30, project="calm")
    client.force_login(member)
    newest = client.get(CALM).context
    assert [version.label for version in newest["versions"]][0::8] == ["1.21", "1.29"]
    older = client.get(CALM, {"until": newest["window"].older}).context
    assert [version.label for version in older["versions"]][0::8] == ["1.12", "1.20"]
    assert (older["window"].older, older["window"].newer) == ("1.11", "1.29")
    oldest = client.get(CALM, {"until": "1.5"}).context
    assert [version.label for version in oldest["versions"]][0::5] == ["1.0", "1.5"]
    assert oldest["window"].older is None


def test_many_kernels_are_divided_into_pages(client):
    member, _, _ = make_story(more=60, project="calm")
    client.force_login(member)
    assert client.get(CALM, {"kernels": "all"}).context["pages"].following == 25
    last = client.get(CALM, {"kernels": "all", "skip": "50"}).context
    assert (last["pages"].first, last["pages"].last, last["pages"].count) == (51, 63, 63)
    assert len(last["page"].rows) == 13


def test_an_application_without_measurements_has_an_empty_history(client):
    project = make_project("calm")
    make_application(project)
    client.force_login(make_member(project))
    assert "No versions yet" in client.get(CALM).content.decode()


@pytest.mark.parametrize(("versions", "needed"), [(1, True), (2, False)])
def test_a_history_needs_two_versions(client, versions, needed):
    member, _, _ = make_story(versions=versions, project="calm")
    client.force_login(member)
    page = client.get(CALM).content.decode()
    assert ("Two versions are needed" in page, "The whole program" in page) == (needed, not needed)


def test_a_user_of_another_project_gets_404(client, story):
    client.force_login(make_member(make_project()))
    assert client.get(URL).status_code == 404


def test_queries_do_not_grow_with_kernels_and_versions(client, django_assert_max_num_queries):
    member, _, _ = make_story(versions=8, more=60, project="calm")
    client.force_login(member)
    client.get(CALM)
    for asked in ({}, {"kernels": "all"}, {"kernels": "all", "target": "p:2048,n:1000"}):
        with django_assert_max_num_queries(12):
            client.get(CALM, asked)
