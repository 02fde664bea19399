"""The kernel page shows the result of a taint analysis next to the kernel's law."""

import json

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign
from ingest.services import dependencies_store
from modeling.models import ModelRun
from modeling.selectors.application.dependencies import DependsOn
from modeling.tasks import run_execute
from perfweb.portal.kernel.dependencies import contradictions, sentence
from tests.factories import make_member, make_project
from tests.modeling.stored import Law, store

LAWS: dict[str, Law] = {
    "main": lambda p: 3.0,
    "main->grows": lambda p: 1.0 + 0.02 * p,
    "main->called": lambda p: 1.0 + 0.02 * p,
    "steady": lambda p: 7.0,
    "steady->called": lambda p: 1.0 + 0.02 * p,
    "unknown": lambda p: 7.0,
}
DEPENDS = {"main": [], "grows": [["n"]], "steady": [["p", "n"]], "called": []}


@pytest.fixture
def page(client: Client, db):
    """Return a function that gives the HTML of a kernel's page.

    The kernels were measured at eight process counts, and the application has an uploaded taint analysis.
    """
    campaign: Campaign = store(make_project(), "1.0", LAWS, (2, 4, 8, 16, 32, 64, 128, 256))
    run_execute(ModelRun.objects.get(campaign=campaign).pk)
    application = campaign.version.application
    user = make_member(application.project)
    client.force_login(user)
    content = {
        "functions_mangled_names": list(DEPENDS),
        "functions_demangled_names": list(DEPENDS),
        "parameters": ["p", "n"],
        "functions": {name: {"loops": [{"deps": deps}]} for name, deps in DEPENDS.items()},
    }
    file = ContentFile(json.dumps(content).encode(), "taint.json")
    dependencies_store(application=application, file=file, user=user)
    kernels = {kernel.path: kernel.pk for kernel in application.kernels.all()}
    return lambda path: client.get(reverse("kernel", args=[campaign.pk, kernels[path]])).content.decode()


def test_it_works(page) -> None:
    text = page("main->grows")
    assert "Taint analysis: depends on n; not on p." in text
    assert "The law grows with p, but according to the taint analysis this function does not" in text
    assert "Not identifiable" not in text


def test_a_law_without_a_parameter_of_the_function_is_reported(page) -> None:
    text = page("steady")
    assert "Taint analysis: depends on p and n together." in text
    assert "The law does not depend on p, but according to the taint analysis this function" in text


def test_parameters_of_callers_are_no_contradiction(page) -> None:
    text = page("steady->called")
    assert "Taint analysis: depends on no parameter that it followed." in text
    assert "The law grows with p, but according" not in text
    assert "The law grows with p, but according" in page("main->called")


def test_without_contradictions_or_dependencies_nothing_is_reported(page) -> None:
    assert "according to the taint analysis" not in page("main")
    assert "aint analysis" not in page("unknown")


def depends(*terms: str, followed: str = "pnt") -> DependsOn:
    return DependsOn(frozenset(map(frozenset, terms)), frozenset(), frozenset(followed))


@pytest.mark.parametrize(
    ("found", "parameters", "expected"),
    [
        (depends("pn"), "pnt", "depends on p and n together; not on t"),
        (depends("pn", "p", "t"), "pnt", "depends on p and n together, and on t"),
        (depends("n"), "pnt", "depends on n; not on p or t"),
        (depends("n", "p", followed="pn"), "pnk", "depends on n, and on p; it did not follow k"),
        (depends("npt"), "n", "depends on n, p and t together"),
        (depends(), "pn", "depends on no parameter that it followed"),
    ],
)
def test_sentences(found: DependsOn, parameters: str, expected: str) -> None:
    assert sentence(found, list(parameters)) == f"Taint analysis: {expected}."


def test_only_certain_laws_and_analysed_parameters_are_contradicted() -> None:
    found = depends("n", followed="pn")
    assert not list(contradictions(found, ["p", "n", "k"], [None, None, 1.0]))
    assert not list(contradictions(found, ["p", "n", "k"], [0.0, 1.0, 0.0]))
    [falls] = contradictions(found, ["p", "n"], [-1.0, 1.0])
    assert falls.startswith("The law falls with p, but according")
