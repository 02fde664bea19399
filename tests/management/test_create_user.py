import io
import sys

import pytest
from django.core.management import CommandError, call_command

from perfweb.accounts.models import Membership, Project, Role, User
from perfweb.launcher import tables

pytestmark = pytest.mark.django_db


def _create(*arguments: str) -> str:
    out = io.StringIO()
    call_command("create_user", *arguments, stdout=out)
    return out.getvalue().strip()


def test_it_works() -> None:
    said = _create("ada", "--project", "solvers")
    user = User.objects.get(username="ada")
    assert said.startswith("ada can sign in with the password ")
    assert user.check_password(said.split()[-1])
    assert Membership.objects.get(user=user, project__slug="solvers").role == Role.OWNER


def test_later_members_get_the_given_role() -> None:
    _create("ada", "--project", "solvers")
    _create("bob", "--project", "solvers", "--role", "viewer")
    assert Membership.objects.get(user__username="bob").role == Role.VIEWER


def test_a_password_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\n"))
    assert _create("ada", "--password-stdin") == "ada can sign in."
    assert User.objects.get().check_password("correct horse battery")


@pytest.mark.parametrize("given", ["", "123"])
def test_a_poor_password_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(given))
    with pytest.raises(CommandError, match="password"):
        _create("ada", "--password-stdin")
    assert not User.objects.exists()


def test_a_taken_name_is_refused() -> None:
    _create("ada")
    with pytest.raises(CommandError, match="already exists"):
        _create("ada", "--project", "solvers")
    assert not Project.objects.exists()


def test_an_impossible_project_is_refused_together_with_the_user() -> None:
    with pytest.raises(CommandError):
        _create("ada", "--project", "no slug!")
    assert not User.objects.exists()


def test_tables_are_up_to_date() -> None:
    assert tables.up_to_date()
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_a_name_in_place_of_the_address_of_a_project_is_explained() -> None:
    with pytest.raises(CommandError, match="found “Solver team”, expected an address such as solver-team"):
        call_command("create_user", "ada", project="Solver team")
