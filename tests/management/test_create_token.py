from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError
from django.utils import timezone

from perfweb.accounts.models import ApiToken, Project, Role
from perfweb.accounts.tokens import token_authenticate
from perfweb.management.commands.create_token import Command
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def member():
    return make_member(make_project("storm"), Role.CONTRIBUTOR, "ada")


def create_token(*arguments: str) -> str:
    output = StringIO()
    command = Command(stdout=output)
    parser = command.create_parser("manage.py", "create_token")
    command.handle(**vars(parser.parse_args(arguments)))
    return output.getvalue()


def test_it_works(member):
    printed = create_token("storm", "--user", "ada", "--scope", "upload")
    assert printed.endswith("\n")
    token = token_authenticate(printed[:-1])
    assert (token.user, token.scopes, token.expires_at) == (member, ["upload"], None)


def test_options():
    create_token("storm", "--user=ada", "--scope=upload", "--scope=read", "--name=ci", "--days=7")
    token = ApiToken.objects.get()
    assert (token.name, token.scopes) == ("ci", ["read", "upload"])
    assert abs(token.expires_at - timezone.now() - timedelta(days=7)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("calm --user ada --scope read", "no project “calm”; there are: storm"),
        ("storm --user bob --scope read", "Nobody signs in as “bob”"),
        ("storm --user eve --scope read", "eve: No such project, or you are not a member"),
        ("storm --user vera --scope upload", "vera: This needs the role contributor"),
        ("storm --user ada --scope write", "invalid choice: 'write'"),
        ("storm --user ada", "--scope"),
        ("storm --user ada --scope read --days 0", "a time in the future"),
        ("storm --user ada --scope read --days 99999999999", "a valid date"),
    ],
)
def test_impossible_requests_are_refused(arguments, said):
    make_user("eve")
    make_member(Project.objects.get(), Role.VIEWER, "vera")
    with pytest.raises(CommandError, match=said):
        create_token(*arguments.split())
    assert not ApiToken.objects.exists()
