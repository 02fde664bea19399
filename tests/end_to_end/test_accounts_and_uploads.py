"""The steps of a new user in a real browser: signing in, making a token, uploading, watching the progress."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.hashers import make_password
from django.db import OperationalError
from playwright.sync_api import Page, Route, expect

from ingest.formats import Campaign as Parsed
from ingest.models import Metric, Parameter, Upload
from ingest.services.diagnosis import diagnose
from perfweb.accounts.models import Project, Role, Scope, User
from perfweb.portal.views.session import SignIn
from tests.end_to_end.accessibility import broken_rules, check_page
from tests.factories import make_application, make_campaign, make_member, make_project, make_token

pytestmark = pytest.mark.django_db(transaction=True)

CAMPAIGN = "\n".join(
    f'{{"params": {{"p": {p}}}, "callpath": "main->halo", "metric": "time", "value": [{p}.0, {p}.1, {p}.05]}}'
    for p in (4, 8, 16, 32, 64)
)


def sign_in(page: Page, live_server: object) -> None:
    page.goto(f"{live_server}/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("engine no. 1")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{live_server}/")


def test_after_a_wrong_password_only_the_password_is_typed_again(
    page: Page, ada: User, live_server: object
) -> None:
    page.goto(f"{live_server}/sign-in/")
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type("engine no. 2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("There is no account with this name and password.")).to_be_visible()
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type("engine no. 1")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_server}/")


@pytest.fixture
def ada(transactional_db: None) -> User:
    user = make_member(make_project("storm"), Role.OWNER, "ada")
    user.password = make_password("engine no. 1")
    user.save()
    return user


def test_pages_are_accessible_at_every_width(page: Page, ada: User, live_server: object) -> None:
    project = ada.memberships.get().project  # type: ignore[attr-defined]
    make_member(project, Role.VIEWER, "vera")
    make_token(ada, project, Scope.UPLOAD)
    done = make_campaign(make_application(project), "1.0").uploads.get()
    error = {"message": "line 7", "file": "a.jsonl", "line": 7, "found": "NaN", "expected": "a number"}
    failed = Upload.objects.create(
        project=project, application_slug="hydro", version_label="1.1", filename="night.jsonl", size=1,
        sha256="f" * 64, state=Upload.State.FAILED, error=error,
    )  # fmt: skip
    page.expected_problems = ["404", "403"]  # type: ignore[attr-defined]
    sign_in(page, live_server)
    pages = ["projects/", "projects/storm/", "projects/storm/tokens/", "projects/storm/uploads/", "upload/"]
    pages += [f"uploads/{done.pk}/", f"uploads/{failed.pk}/", "password/", "nowhere/"]
    previewed = make_preview(project)
    pages += ["upload/from-a-job/", "help/rest/", f"uploads/{previewed.pk}/preview/"]
    pages += [f"campaigns/{done.campaign_id}/delete/"]
    for where in pages:
        check_page(page, f"{live_server}/{where}")


def make_preview(project: Project) -> Upload:
    """Return a previewed upload whose file has a missing point and an outlier."""
    points = [[p, n] for p in (4.0, 8.0, 16.0) for n in (1.0, 2.0)][:-1]
    values = [[1.0, 1.1, 1.2]] * 4 + [[1.0, 1.1, 99.0]]
    parsed = Parsed(("p", "n"), np.array(points), {("main", "time"): np.array(values)}, format="jsonl")
    return Upload.objects.create(
        project=project, application_slug="new", version_label="1.1", filename="look.jsonl", size=1,
        sha256="e" * 64, state=Upload.State.READ, dry_run=True, diagnosis=diagnose(parsed),
    )  # fmt: skip


def test_a_file_is_previewed_and_then_stored(
    page: Page, ada: User, worker: None, live_server: object, tmp_path: Path
) -> None:
    file = tmp_path / "campaign.jsonl"
    file.write_text(CAMPAIGN)
    sign_in(page, live_server)
    page.goto(f"{live_server}/upload/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("combobox", name="Application").fill("hydro")
    page.get_by_role("textbox", name="Version").fill("1.0")
    page.get_by_role("button", name="Look at it first").click()
    page.get_by_label("Role of p").select_option("other")
    page.get_by_label("Unit of time").fill("ms")
    page.get_by_role("button", name="Store it").click()
    expect(page.get_by_role("heading", name="Modelled")).to_be_visible(timeout=30_000)
    assert Metric.objects.get().unit == "ms"
    assert Parameter.objects.get().role == Parameter.Role.OTHER


def test_the_sign_in_page_is_accessible(page: Page, ada: User, live_server: object) -> None:
    page.goto(f"{live_server}/sign-in/")
    assert broken_rules(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_an_outage_is_accessible(
    page: Page, live_server: object, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(SignIn, "get", away)
    page.expected_problems.append("503")  # type: ignore[attr-defined]
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{live_server}/sign-in/")
    expect(page.get_by_role("heading")).to_have_text("The portal's database is not reachable")
    assert broken_rules(page) == []


def test_a_token_is_made_used_and_revoked(page: Page, ada: User, live_server: object, tmp_path: Path) -> None:
    sign_in(page, live_server)
    page.goto(f"{live_server}/projects/storm/tokens/")
    page.get_by_label("Name").fill("nightly")
    page.get_by_role("button", name="Make the token").click()
    command = page.locator(".command code").nth(1).inner_text()
    (tmp_path / "campaign.jsonl").write_text(CAMPAIGN)
    answer = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert '"state":"received"' in answer.stdout
    page.goto(f"{live_server}/projects/storm/tokens/")
    page.get_by_label("Revoke nightly").click()
    page.get_by_role("button", name="Revoke now").click()
    expect(page.get_by_text("has been revoked")).to_be_visible()
    answer = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    # curl's exit code for an HTTP error: the job script notices that the upload failed.
    assert answer.returncode == 22
    assert "revoked" in answer.stdout


def test_the_upload_page_leads_to_the_models(
    page: Page, ada: User, worker: None, live_server: object, tmp_path: Path
) -> None:
    file = tmp_path / "campaign.jsonl"
    file.write_text(CAMPAIGN)
    sign_in(page, live_server)
    page.get_by_role("link", name="Upload", exact=True).click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("campaign.jsonl,")).to_be_visible()
    page.get_by_role("combobox", name="Application").fill("hydro")
    page.get_by_role("textbox", name="Version").fill("1.0")
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="Modelled")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="Show the campaign").click()
    expect(page.get_by_text("halo").first).to_be_visible()


def test_a_file_chosen_before_the_script_was_loaded_is_named(
    page: Page, ada: User, live_server: object, tmp_path: Path
) -> None:
    file = tmp_path / "campaign.jsonl"
    file.write_text(CAMPAIGN)
    sign_in(page, live_server)
    late: list[Route] = []

    def hold(route: Route) -> None:
        late.append(route)

    page.route("**/js/upload*.js", hold)
    page.goto(f"{live_server}/upload/", wait_until="commit")
    page.locator("input[type=file]").set_input_files(file)
    late[0].continue_()
    expect(page.get_by_text("campaign.jsonl, 471 B")).to_be_visible()


def test_the_page_of_a_failed_upload_explains_the_error(
    page: Page, ada: User, worker: None, live_server: object, tmp_path: Path
) -> None:
    file = tmp_path / "campaign.jsonl"
    file.write_text(CAMPAIGN.replace("[16.0", "[NaN"))
    sign_in(page, live_server)
    page.goto(f"{live_server}/upload/?application=hydro&version=1.0")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="Failed")).to_be_visible(timeout=30_000)
    expect(page.locator("dt:text-is('line') + dd")).to_have_text("3")
