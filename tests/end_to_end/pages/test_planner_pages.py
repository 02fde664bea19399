"""The planner in a real browser: it is accessible, fits the screen, and works without a script."""

import re

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from ingest.models import Campaign, Dependencies, Kernel
from modeling.models import ModelRun, Plan
from modeling.tasks import run_execute
from perfweb.accounts.models import Role
from tests.end_to_end.accessibility import check_page
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_member, make_plan, make_project
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db(transaction=True)

QUERY = "?goal=first&values.p=4,8,16,32&values.n=100,200,400"


@pytest.fixture
def portal(page: Page, client: Client, live_server: object) -> Page:
    """Sign in a contributor of storm, which has an application without measurements."""
    project = make_project("storm")
    application = make_application(project)
    make_plan(application)
    return sign_in(page, client, live_server, make_member(project, Role.CONTRIBUTOR))


def test_pages_are_accessible_and_fit_the_screen(portal, live_server):
    plan = Plan.objects.get()
    for path in ("", QUERY, "profile/", f"{plan.pk}/"):
        check_page(portal, f"{live_server}/a/storm/hydro/planner/{path}")


def test_a_new_user_plans_the_first_runs(portal, live_server):
    portal.goto(f"{live_server}/upload/")
    portal.get_by_role("link", name="Plan which runs a first model needs").click()
    for label, text in (
        ("name of parameter 1", "p"), ("values of parameter 1", "2..64"),
        ("approximate time of this run (s)", "30"),
        ("core hours", "5"),
    ):  # fmt: skip
        field = portal.get_by_label(label, exact=True)
        field.fill(text)
        field.press("Tab")
        expect(portal).to_have_url(re.compile(f"={text}(&|$)"))  # its answer has come
    expect(portal.get_by_role("heading", level=2).first).to_contain_text("runs at 5 configurations")
    expect(portal.get_by_text("Costs are guessed: a run at p = 2 takes 30 s")).to_be_visible()
    check_page(portal, portal.url)
    portal.get_by_label("of application").fill("Fresh")
    portal.get_by_label("for version").fill("0.1")
    portal.get_by_role("button", name="Keep this plan").click()
    expect(portal.get_by_role("heading", level=1)).to_contain_text("for version 0.1")
    assert Plan.objects.filter(application__slug="fresh").count() == 1


def test_on_a_phone_the_answer_is_above_the_question(portal, live_server):
    portal.set_viewport_size({"width": 390, "height": 844})
    portal.goto(f"{live_server}/a/storm/hydro/planner/{QUERY}")
    answer = portal.get_by_role("heading", level=2).first
    expect(answer).to_be_in_viewport()
    goal = portal.get_by_label("runs at most")
    expect(goal).to_be_hidden()
    portal.get_by_text("Change the question").click()
    expect(goal).to_be_visible()
    portal.set_viewport_size({"width": 1280, "height": 844})
    expect(goal).to_be_visible()
    expect(portal.get_by_text("Change the question")).to_be_hidden()


def test_on_a_phone_an_empty_question_is_open(portal, live_server):
    portal.set_viewport_size({"width": 390, "height": 844})
    portal.goto(f"{live_server}/plan/")
    values = portal.get_by_label("values of parameter 1", exact=True)
    expect(values).to_be_visible()
    known = portal.get_by_label("value of parameter 1 in the known run")
    one, other = values.bounding_box(), known.bounding_box()
    assert one["y"] + one["height"] <= other["y"] or one["x"] + one["width"] <= other["x"]


def test_a_plan_is_made_and_kept(portal, live_server):
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


def test_dependencies_can_be_ticked_by_keyboard(portal, client, live_server):
    maintainer = make_member(Plan.objects.get().application.project, Role.MAINTAINER)
    sign_in(portal, client, live_server, maintainer)
    portal.goto(f"{live_server}/a/storm/hydro/planner/")
    portal.get_by_role("link", name="What functions depend on").click()
    portal.get_by_label("name of another function (1)").fill("sweep")
    for _ in range(2):  # One box for each of the two parameters.
        portal.keyboard.press("Tab")
        portal.keyboard.press("Space")
    portal.keyboard.press("Tab")
    portal.keyboard.press("Enter")
    expect(portal).to_have_url(re.compile("goal=profile"))
    assert Dependencies.objects.get().functions == [
        {"name": "sweep", "demangled": "sweep", "depends_on": [["n", "p"]]}
    ]


@pytest.fixture
def measured(portal: Page) -> Page:
    """Return the page of `portal`, after the application was measured and modelled."""
    project = Plan.objects.get().application.project
    campaign = store(project, "1.0", {"main": lambda p: 1 + 0.1 * p, "halo": lambda p: p**0.5}, noise=0.3)
    run_execute(ModelRun.objects.get(campaign=campaign).pk)
    return portal


def test_sliders_change_the_plan_by_keyboard(measured, live_server):
    measured.goto(f"{live_server}/a/storm/hydro/planner/")
    before = measured.locator("#proposal").inner_text()
    check_page(measured, f"{live_server}/a/storm/hydro/planner/")
    slider = measured.get_by_role("slider", name="core hours, slider")
    slider.focus()
    slider.press("Home")
    expect(measured).to_have_url(re.compile(r"budget=[0-9.]+"))
    expect(measured.locator("#proposal")).not_to_have_text(before)
    number = measured.get_by_label("core hours", exact=True)
    assert float(number.input_value()) > 0
    assert "within=" not in measured.url  # An empty field is left out of the address.
    slider.press("End")
    expect(number).to_have_value("")
    expect(measured.locator("#proposal")).to_have_text(before)
    measured.get_by_label("p", exact=True).fill("512")
    measured.get_by_label("p", exact=True).press("Tab")
    expect(measured.locator(".plan-facts")).to_contain_text("p = 512")


def test_the_form_works_without_a_script(measured, browser: Browser, live_server):
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(measured.context.cookies())
    page = context.new_page()
    page.goto(f"{live_server}/a/storm/hydro/planner/")
    assert not page.get_by_role("slider").count()
    page.get_by_label("p", exact=True).fill("256")
    page.get_by_label("runs at most").fill("2")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page).to_have_url(re.compile("at.p=256.*runs=2"))
    expect(page.locator(".plan-facts")).to_contain_text("p = 256")
    context.close()


def test_the_kernel_page_leads_to_a_plan_that_tells_laws_apart(measured, live_server):
    kernel = Kernel.objects.get(path="main")
    campaign = Campaign.objects.get()
    measured.goto(f"{live_server}/campaigns/{campaign.pk}/kernels/{kernel.pk}/")
    measured.get_by_role("link", name="Which measurement would tell them apart").click()
    expect(measured.get_by_label("goal")).to_have_value("rivals")
    expect(measured.get_by_text("About the kernel main alone.")).to_be_visible()
    measured.get_by_role("link", name="Plan for the whole program").click()
    expect(measured.get_by_text("About the kernel")).to_have_count(0)
