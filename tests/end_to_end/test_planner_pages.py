"""The planner in a real browser: accessible, within the screen, and asked without script."""

import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from ingest.models import Dependencies
from modeling.models import Plan
from perfweb.accounts.models import Role
from tests.end_to_end.accessibility import check_page
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_member, make_plan, make_project

pytestmark = pytest.mark.django_db(transaction=True)

QUERY = "?goal=first&values.p=4,8,16,32&values.n=100,200,400"


@pytest.fixture
def portal(page: Page, client: Client, live_server: object) -> Page:
    """A page that is signed in as a contributor of storm, which has an application without measurements."""
    project = make_project("storm")
    application = make_application(project)
    make_plan(application)
    return sign_in(page, client, live_server, make_member(project, Role.CONTRIBUTOR))


def test_pages_are_accessible_and_within_the_screen(portal, live_server):
    plan = Plan.objects.get()
    for path in ("", QUERY, "profile/", f"{plan.pk}/"):
        check_page(portal, f"{live_server}/a/storm/hydro/planner/{path}")


def test_a_question_is_asked_and_its_plan_kept(portal, live_server):
    portal.goto(f"{live_server}/a/storm/hydro/planner/{QUERY}")
    portal.get_by_label("runs at most").fill("4")
    portal.get_by_role("button", name="Plan", exact=True).click()
    expect(portal).to_have_url(re.compile("runs=4"))
    expect(portal.get_by_role("heading", level=2).first).to_contain_text("4 runs at 4 configurations")
    portal.get_by_label("for version").fill("2.0")
    portal.get_by_role("button", name="Keep this plan").click()
    expect(portal.get_by_role("heading", level=1)).to_contain_text("for version 2.0")
    with portal.expect_download() as download:
        portal.get_by_role("link", name="Slurm job array").click()
    assert "#SBATCH --array=0-3" in download.value.path().read_text()


def test_what_functions_depend_on_is_ticked_by_keyboard(portal, client, live_server):
    maintainer = make_member(Plan.objects.get().application.project, Role.MAINTAINER)
    sign_in(portal, client, live_server, maintainer)
    portal.goto(f"{live_server}/a/storm/hydro/planner/")
    portal.get_by_role("link", name="What functions depend on").click()
    portal.get_by_label("name of another function").fill("sweep")
    for _ in range(2):  # the boxes of the two parameters
        portal.keyboard.press("Tab")
        portal.keyboard.press("Space")
    portal.keyboard.press("Tab")
    portal.keyboard.press("Enter")
    expect(portal).to_have_url(re.compile("goal=profile"))
    assert Dependencies.objects.get().functions == [
        {"name": "sweep", "demangled": "sweep", "depends_on": [["n", "p"]]}
    ]
