import pytest

from ingest.models import Campaign, Kernel, Upload
from modeling.engine import TOO_FEW_VALUES
from modeling.engine.laws.growth import NOT_IDENTIFIABLE
from modeling.models import Change, Comparison, Model, Total, Trend
from perfweb.accounts.models import Membership, Role
from tests.factories import (
    make_alert,
    make_application,
    make_campaign,
    make_change,
    make_member,
    make_project,
    make_series,
    make_user,
)
from tests.portal.stories import make_story, text

pytestmark = pytest.mark.django_db


def test_it_works(client):
    member, _, _ = make_story()
    client.force_login(member)
    page = client.get("/").content.decode()
    assert "Hydro" in page
    assert "1.2" in page
    assert '<span class="visually-hidden">1 law worse</span>' in page
    assert "every 2s" not in page


def test_a_visitor_is_asked_to_sign_in(client):
    assert client.get("/").headers["Location"].startswith("/sign-in/")


def test_applications_of_other_projects_are_not_listed(client):
    make_application(make_project(), slug="secret")
    member, _, _ = make_story()
    client.force_login(member)
    assert "Secret" not in client.get("/").content.decode()


def test_a_new_user_sees_first_steps_with_a_command(client):
    member = make_member(make_project("fresh"), Role.CONTRIBUTOR)
    client.force_login(member)
    page = client.get("/").content.decode()
    assert "Four steps" in page
    assert "http://testserver/api/v1/applications/my-application/uploads/" in page


def test_a_new_user_can_copy_the_demo(client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_project("fresh")
    member = make_member(project, Role.CONTRIBUTOR)
    client.force_login(member)
    page = client.get("/").content.decode()
    assert 'action="/projects/fresh/demo/"' in page
    for _ in range(2):  # A second click changes nothing.
        answer = client.post("/projects/fresh/demo/", follow=True)
        assert "6 versions of a small application are on their way." in answer.content.decode()
        assert set(Upload.objects.values_list("project__slug", "user", "state")) == {
            ("fresh", member.pk, Upload.State.RECEIVED)
        }
        assert Upload.objects.count() == 6
    assert "Under way" in answer.content.decode()


def test_the_demo_cannot_be_added_to_a_project_with_applications(client):
    project = make_project("busy")
    make_application(project)
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    assert "Copy the demo" not in client.get("/").content.decode()
    answer = client.post("/projects/busy/demo/", follow=True)
    assert "the demo is for empty projects" in answer.content.decode()
    assert not Upload.objects.exists()


def test_a_viewer_cannot_copy_the_demo(client):
    client.force_login(make_member(make_project("fresh"), Role.VIEWER))
    assert "Copy the demo" not in client.get("/").content.decode()


def test_a_user_without_a_project_is_told_so(client):
    client.force_login(make_user())
    assert "not a member of a project" in client.get("/").content.decode()


def test_the_page_reloads_while_work_is_under_way(client):
    member, application, _ = make_story()
    Upload.objects.create(
        project=application.project, application_slug="hydro", version_label="2.0",
        filename="night.jsonl", size=1, sha256="f" * 64, state=Upload.State.PARSING,
    )  # fmt: skip
    client.force_login(member)
    page = client.get("/").content.decode()
    assert "night.jsonl" in page
    assert 'hx-trigger="every 2s"' in page


def test_many_uploads_under_way_leave_the_applications_in_sight(client):
    member, application, _ = make_story()
    for number in range(9):
        Upload.objects.create(
            project=application.project, application_slug="hydro", version_label=f"2.{number}",
            filename=f"night_{number}.jsonl", size=1, sha256=f"{number:064d}", state=Upload.State.RECEIVED,
        )  # fmt: skip
    client.force_login(member)
    page = client.get("/").content.decode()
    assert page.count('class="under-way"') == 6
    assert "night_8.jsonl" in page  # the latest one
    assert "and uploads before these" in page


def test_a_metric_without_totals_shows_no_total(client):
    member, application, _ = make_story()
    application.metrics.update(name="rate", unit="1/s", lower_is_better=False)
    client.force_login(member)
    page = client.get("/").content.decode()
    assert "none in rate" in page
    assert '<td class="number muted" data-label="predicted total">' in page


def test_a_version_without_models_has_no_total_yet(client):
    project = make_project("storm")
    make_campaign(make_application(project), "1.0")
    client.force_login(make_member(project))
    assert "first version" in client.get("/").content.decode()


def test_queries_do_not_grow_with_applications(client, django_assert_max_num_queries):
    member, _, _ = make_story()
    client.force_login(member)
    client.get("/")
    with django_assert_max_num_queries(12) as few:
        client.get("/")
    for number in range(4):
        project = make_project(f"more-{number}")
        Membership.objects.create(project=project, user=member, role=Role.VIEWER)
        make_application(project, slug=f"code-{number}")
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get("/")


def test_changes_of_the_latest_versions_are_listed(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    answer = client.get("/")
    [step] = answer.context["changed"]
    assert (step.before.label, step.after.label, step.more) == ("1.1", "1.2", 0)
    assert [(row.kernel.name, row.verdict.value) for row in step.kernels] == [("halo", "law_worse")]
    page = answer.content.decode()
    assert "/a/storm/hydro/compare/?before=1.1&amp;after=1.2&amp;machine=cluster-a" in page
    assert f"/campaigns/{campaigns[-1].pk}/kernels/{step.kernels[0].kernel.pk}/" in page


def test_of_many_changes_the_largest_are_named(client):
    member, _, campaigns = make_story(versions=2, more=5)
    comparison = Comparison.objects.get(after=campaigns[-1])
    for number in range(5):
        make_change(comparison, f"main->step_{number:04d}", Change.Kind.FACTOR, 1.5)
    Trend.objects.filter(kernel__path="main->step_0003").update(impact=1e9)
    client.force_login(member)
    [step] = client.get("/").context["changed"]
    assert step.kernels[0].kernel.name == "step_0003"
    assert (len(step.kernels), step.more) == (3, 3)


def test_changed_kernels_of_one_name_are_told_apart_by_their_callers(client):
    member, _, campaigns = make_story(versions=2, more=2)
    comparison = Comparison.objects.get(after=campaigns[-1])
    for number, caller in enumerate(("setup", "solve")):
        change = make_change(comparison, f"main->step_{number:04d}", Change.Kind.FACTOR, 1.5)
        Kernel.objects.filter(pk=change.kernel_id).update(path=f"main->{caller}->pack")
    client.force_login(member)
    page = client.get("/").content.decode()
    assert "setup › pack</a>" in page
    assert "solve › pack</a>" in page


def test_a_failed_upload_is_shown_until_it_is_sent_again(client):
    member, application, _ = make_story()
    client.force_login(member)
    sent = {"project": application.project, "application_slug": "hydro", "version_label": "2.0", "size": 1}
    Upload.objects.create(
        filename="night.jsonl", sha256="f" * 64, state=Upload.State.FAILED,
        error={"message": "night.jsonl, line 3: found “x”; expected a number"}, **sent,
    )  # fmt: skip
    assert "line 3: found “x”" in client.get("/").content.decode()
    Upload.objects.create(filename="night.jsonl", sha256="e" * 64, state=Upload.State.DONE, **sent)
    assert "Failed uploads" not in client.get("/").content.decode()


def test_open_changes_link_to_the_inbox(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    make_series(campaigns[2])
    make_alert(campaigns[2], "main->halo")
    make_alert(campaigns[2], "main->fast", improvement=True)
    assert '/a/storm/hydro/changes/">1 open' in client.get("/").content.decode()
    assert "1 open change" in text(client.get("/a/storm/hydro/"))
    kernel = campaigns[2].version.application.kernels.get(path="main->halo")
    assert "Open changes:" in text(client.get(f"/campaigns/{campaigns[2].pk}/kernels/{kernel.pk}/"))


def test_applications_with_worse_kernels_come_first(client):
    member, application, _ = make_story()
    calm = make_application(application.project, slug="ahead")
    make_campaign(calm, "1.0")
    client.force_login(member)
    rows = client.get("/").context["rows"]
    assert [row.application.slug for row in rows] == ["hydro", "ahead"]


def test_changed_laws_have_a_size(client):
    member, _, campaigns = make_story()
    make_series(campaigns[-1])
    client.force_login(member)
    assert "▲ law worse, 115× slower" in text(client.get("/"))
    kernel = Kernel.objects.get(path="main->halo")
    page = text(client.get(f"/campaigns/{campaigns[-1].pk}/kernels/{kernel.pk}/"))
    assert "▲ law worse, 115× slower since 1.1" in page


def test_an_uncertain_total_is_not_bold(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    url = "/a/storm/hydro/"
    assert "cannot be told" not in text(client.get("/"))
    assert "is predicted to take" in text(client.get(url))
    total = Total.objects.get(run__campaign=campaigns[-1])
    total.upper = 20 * total.predicted
    total.save()
    assert "cannot be told" in text(client.get("/"))


def test_a_guess_from_too_few_values_is_not_bold_on_any_page(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    Model.objects.filter(run__campaign=campaigns[-1]).update(status=TOO_FEW_VALUES, growth=NOT_IDENTIFIABLE)
    assert "Too few values were measured for a law" in client.get("/").content.decode()
    page = text(client.get("/a/storm/hydro/"))
    assert "cannot be predicted this far ; a guess is" in page
    assert "The growth of all kernels cannot be inferred from so few values" in page
    Model.objects.filter(kernel__path="main->sweep").update(status="ok")
    assert "cannot be told" not in text(client.get("/"))


def test_values_of_a_single_point_are_no_guess_at_this_point(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    Model.objects.filter(run__campaign=campaigns[-1]).update(status=TOO_FEW_VALUES)
    Campaign.objects.filter(pk=campaigns[-1].pk).update(points=campaigns[-1].points[-1:])
    assert "cannot be told" not in text(client.get("/"))
