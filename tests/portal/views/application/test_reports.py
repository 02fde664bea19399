import re
from copy import deepcopy

import pytest
from django.test import Client

from ingest.models import Target
from modeling.models import Change, Comparison, Model, Report, ShareLink, Shift
from modeling.selectors.run import rows
from perfweb.accounts.models import AuditEntry, Role
from tests.portal.stories import make_story, text

pytestmark = pytest.mark.django_db

LIST = "/a/storm/hydro/reports/"
NEW = f"{LIST}new/"


@pytest.fixture
def role():
    return Role.MAINTAINER


@pytest.fixture
def story(client, made_once, role):
    member, application, campaigns = deepcopy(made_once)
    member.memberships.update(role=role)
    client.force_login(member)
    return member, application, campaigns


def freeze(client, note="", query=""):
    seen = re.search(r'name="seen" value="(\w+)"', client.get(NEW + query).content.decode())[1]
    return client.post(NEW + query, {"seen": seen, "note": note})


@pytest.fixture
def report(client, story):
    freeze(client, "Looks fine.")
    return Report.objects.get()


def address(report, more=""):
    return f"{LIST}{report.pk}/{more}"


def test_a_target_named_after_its_values_is_shown_once(client, story):
    Target.objects.update(name="p = 65,536")
    page = text(client.get(NEW))
    assert "predictions at p = 65,536, n = 8,000" in page
    assert "(p = 65,536)" not in page
    Target.objects.update(name="p = 65,536, n = 8,000")
    assert '<th scope="row">p = 65,536, n = 8,000</th>' in client.get(NEW).content.decode()


def test_it_works(client, story):
    page = text(client.get(NEW))
    assert "Hydro 1.2: release report" in page
    assert "predictions at p = 65,536, n = 8,000 (" in page  # the name of the target
    assert "At p = 65,536, n = 8,000 version 1.2 is predicted to take" in page
    assert "as long as 1.1, because of halo" in page
    assert "halo ▲ law worse" in page
    answer = freeze(client, "Ship it.")
    made = Report.objects.get()
    assert answer.url == address(made)
    page = text(client.get(answer.url))
    assert "Ship it." in page
    assert "Numbers frozen on" in page
    assert "halo ▲ law worse" in page
    assert "1.2" in text(client.get(LIST))
    assert "Reports: 1.2, time" in text(client.get("/a/storm/hydro/"))
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.user) == ("report.make", story[0])


def test_a_total_that_cannot_be_told_is_not_written_in_bold(client, report):
    content = report.content
    content["targets"][content["main"]]["total"] = {"predicted": 2.0, "lower": 0.001, "upper": 9000.0}
    Report.objects.update(content=content)
    page = text(client.get(address(report)))
    assert "cannot be predicted this far ; the median of the probable values is 2 s (95 %, if" in page


def test_versions_that_cannot_be_compared_are_not_called_unchanged(client, story):
    Change.objects.all().delete()
    Comparison.objects.update(error="The campaigns have no kernel in common.")
    page = text(client.get(NEW))
    assert page.count("could not be compared: The campaigns have no kernel in common.") == 2
    assert "No kernel changed beyond noise" not in page


def test_growth_that_all_kernels_share_is_reported(client, story):
    _, application, campaigns = story
    Shift.objects.create(
        comparison=application.comparisons.get(after=campaigns[2]), metric=application.metrics.get(),
        ratio=1.0, lower=0.9, upper=1.1,
        growth=[{"parameter": "p", "exponent": -0.25, "lower": -0.26, "upper": -0.24}],
    )  # fmt: skip
    freeze(client)
    page = text(client.get(address(Report.objects.get())))
    assert "all kernels together falls like p −1/4 (exponent, 95 %: −0.26 to −0.24)" in page


def test_the_most_expensive_kernels_stand_for_the_folded_table(client, report):
    content = report.content
    names = [row["name"] for row in content["kernels"]]
    shares = [row["at"][content["main"]]["share"] for row in content["kernels"]]
    assert len(names) > 2
    page = client.get(address(report)).content.decode()
    summary, _ = re.findall(r"<summary>([^<]*%[^<]*)</summary>", page)
    assert [part.split()[0] for part in summary.split(", ")][:3] == names[:3]
    assert shares == sorted(shares, reverse=True)
    content["kernels"][0]["at"][content["main"]] = {"amount": {"predicted": 3240.0}, "share": None}
    content["kernels"][0]["at"][content["main"]]["amount"] |= {"lower": 3000.0, "upper": 3300.0}
    Report.objects.update(content=content)
    assert f"<summary>{names[0]} 54 min," in client.get(address(report)).content.decode()


def test_settings_are_named_in_words_and_equal_ones_are_marked(client, report):
    report.content["environment"] = [
        {"name": "compiler_flags", "value": "-O3", "before": "-O2"},
        {"name": "OMP_NUM_THREADS", "value": "4", "before": "4"},
    ]
    report.save()
    page = client.get(address(report)).content.decode()
    assert '<th scope="row">compiler flags</th>' in page
    assert '<th scope="row">OMP_NUM_THREADS</th>' in page
    assert page.count('class="setting same"') == 1


def test_numbers_have_their_headings_on_phones(client, story):
    _, application, _ = story
    page = client.get(f"/a/storm/{application.slug}/reports/new/").content.decode()
    for label in ("how far", "ratio", "after / before", "probability", "largest measured point", "since 1.1"):
        assert f'data-label="{label}"' in page


def test_a_stored_report_loads_no_models(client, report, django_assert_max_num_queries):
    client.get(address(report))  # The first visit afterwards shows the message that the report was made.
    before = text(client.get(address(report)))
    Model.objects.all().delete()
    Change.objects.all().delete()
    with django_assert_max_num_queries(12):
        assert text(client.get(address(report))) == before


def test_numbers_that_changed_since_the_preview_are_not_stored(client, story):
    answer = client.post(NEW, {"seen": "0" * 16, "note": ""})
    assert answer.status_code == 422
    assert "The numbers moved since you opened this page" in text(answer)
    assert not Report.objects.exists()


def test_a_second_click_stores_no_second_report(client, story):
    first, second, other = freeze(client), freeze(client), freeze(client, note="for the board")
    assert first.url == second.url != other.url
    assert Report.objects.count() == 2


def test_a_long_note_is_refused(client, story):
    assert "at most 2000 characters" in text(freeze(client, "x" * 2001))
    assert not Report.objects.exists()


def test_a_note_is_escaped(client, story):
    page = client.get(freeze(client, "<b>bold</b>\n\nand more").url).content.decode()
    assert "<b>bold" not in page
    assert "<p>and more</p>" in page


@pytest.mark.parametrize("role", [Role.VIEWER])
def test_a_viewer_can_preview_but_not_store_a_report(client, story):
    page = text(client.get(NEW))
    assert "Freeze" not in page
    assert "release report" in page
    assert client.post(NEW, {"seen": "0", "note": ""}).status_code == 403


def test_another_version_can_be_chosen_by_the_address(client, story):
    assert "Hydro 1.1: release report" in text(client.get(f"{NEW}?version=1.1"))
    first = text(client.get(f"{NEW}?version=1.0"))
    assert "No earlier version was measured on this machine" in first


def test_queries_do_not_grow_with_kernels(client, django_assert_max_num_queries):
    member, _, _ = make_story(more=300, project="calm")
    client.force_login(member)
    new = NEW.replace("storm", "calm")
    client.get(new)  # The first request loads the models into memory.
    with django_assert_max_num_queries(12):
        client.get(new)


def test_the_first_report_after_a_start_needs_few_queries(client, story, django_assert_max_num_queries):
    story[1].metrics.create(name="bytes", unit="B")
    rows._runs.clear()
    with django_assert_max_num_queries(12):
        client.get(NEW)


def test_since_needs_few_queries_after_a_start(client, report, django_assert_max_num_queries):
    rows._runs._values.clear()
    with django_assert_max_num_queries(12):
        client.get(address(report, "since/"))


def test_an_application_without_measurements_says_so(client, story):
    story[1].versions.all().delete()
    assert "Nothing to report yet" in text(client.get(NEW))
    assert "No report yet" in text(client.get(LIST))


def test_since_then(client, report):
    assert "Nothing has moved" in text(client.get(address(report, "since/")))
    Change.objects.all().delete()
    page = text(client.get(address(report, "since/")))
    assert "Verdicts" in page
    assert "halo ▲ law worse ● same" in page
    report.version.delete()
    assert "The measurements are gone" in text(client.get(address(report, "since/")))


def test_a_link_is_shown_once(client, report):
    answer = client.post(address(report, "links/"), {"name": "board", "lasts": "30"})
    assert "no-store" in answer["Cache-Control"]
    link = re.search(r"http://testserver(/shared/[\w-]+/)", answer.content.decode())[1]
    assert "/shared/" not in client.get(address(report)).content.decode()
    shared = Client().get(link)
    assert "Hydro 1.2: release report" in text(shared)
    row = ShareLink.objects.get()
    assert row.views == 1
    assert "board" in text(client.get(address(report)))
    client.post(address(report, f"links/{row.pk}/revoke/"))
    assert Client().get(link).status_code == 404
    assert "revoked" in text(client.get(address(report)))


@pytest.mark.parametrize("form", [{"name": "", "lasts": "30"}, {"name": "a", "lasts": "400"}, {}])
def test_a_link_without_name_or_expiry_is_refused(client, report, form):
    assert client.post(address(report, "links/"), form).status_code == 422
    assert not ShareLink.objects.exists()


def test_deleting_a_report_deletes_its_links(client, report):
    client.post(address(report, "links/"), {"name": "board", "lasts": "30"})
    assert client.post(address(report, "delete/")).url == LIST
    assert not Report.objects.exists()
    assert not ShareLink.objects.exists()
    assert AuditEntry.objects.filter(action="report.delete").count() == 1


def test_a_report_is_found_only_under_its_own_application(client, report):
    other = type(report.application).objects.create(project=report.application.project, slug="o", name="O")
    assert client.get(f"/a/storm/{other.slug}/reports/{report.pk}/").status_code == 404


def test_a_link_of_another_report_cannot_be_revoked_here(client, report):
    other = Report.objects.create(application=report.application, content=report.content)
    client.post(address(other, "links/"), {"name": "board", "lasts": "30"})
    link = ShareLink.objects.get()
    assert client.post(address(report, f"links/{link.pk}/revoke/")).status_code == 404
    assert ShareLink.objects.get().revoked_at is None
