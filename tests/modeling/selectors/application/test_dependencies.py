"""How the function of a taint analysis is found for a kernel."""

import json

import pytest
from django.core.files.base import ContentFile

from ingest.models import Application, Kernel
from ingest.services import dependencies_store
from modeling.engine.design.deduced.profile import without_arguments
from modeling.selectors.application.dependencies import DependsOn, dependencies_of
from tests.factories import make_application, make_user

pytestmark = pytest.mark.django_db

FUNCTIONS = {
    "_ZN4Mesh5applyEi": ("Mesh::apply(int)", [["n"]]),
    "_ZN4Mesh5applyEd": ("Mesh::apply(double)", [["n", "p"]]),
    "_Z4haloPKdj": ("halo(double const*, unsigned int)", [["p"]]),
    "main": ("main", []),
}


@pytest.fixture
def application() -> Application:
    application = make_application()
    content = {
        "functions_mangled_names": list(FUNCTIONS),
        "functions_demangled_names": [demangled for demangled, _ in FUNCTIONS.values()],
        "parameters": ["p", "n"],
        "unused_parameters": ["theta"],
        "functions": {name: {"loops": [{"deps": deps}]} for name, (_, deps) in FUNCTIONS.items()},
    }
    file = ContentFile(json.dumps(content).encode(), "taint.json")
    dependencies_store(application=application, file=file, user=make_user())
    return application


def found(application: Application, path: str) -> DependsOn | None:
    return dependencies_of(Kernel(application=application, path=path))


def terms(application: Application, path: str) -> set[str] | None:
    answer = found(application, path)
    return None if answer is None else {"".join(sorted(term)) for term in answer.terms}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("_ZN4Mesh5applyEd", {"np"}),
        ("main->Mesh::apply(int)", {"n"}),
        ("main->Mesh::apply", {"n", "np"}),
        ("halo(double const *,unsigned int)", {"p"}),
        ("halo->main", set()),
        ("main->MPI_Wait", None),
        ("apply", None),
    ],
)
def test_a_kernel_is_found_by_its_last_function(application, path, expected) -> None:
    assert terms(application, path) == expected


def test_dependencies_of_callers_are_kept_separately(application) -> None:
    assert found(application, "main->Mesh::apply->halo") == DependsOn(
        frozenset({frozenset({"p"})}), frozenset({"n", "p"}), frozenset({"p", "n", "theta"})
    )


def test_other_applications_have_no_dependencies(application) -> None:
    assert found(make_application(slug="other"), "main") is None


@pytest.mark.parametrize(
    ("demangled", "expected"),
    [
        ("main", "main"),
        ("f(int) const", "f"),
        ("f(void (*)(int))", "f"),
        ("A::operator()(int)", "A::operator()"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
        ("(anonymous namespace)", "(anonymous namespace)"),
        ("void g<int>(int*)", "void g<int>"),
        (")", ")"),
    ],
)
def test_arguments_are_removed_from_names(demangled: str, expected: str) -> None:
    assert without_arguments(demangled) == expected
