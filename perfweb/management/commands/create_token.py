"""`manage.py create_token PROJECT --user NAME --scope upload` makes a token for a script."""

from datetime import timedelta
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.management.base import CommandError, CommandParser
from django.http import Http404
from django.utils import timezone

from perfweb.accounts.models import Project, Scope, User
from perfweb.accounts.tokens import token_create
from perfweb.management.base import PortalCommand


class Command(PortalCommand):
    """Creates a token, and prints only the token to standard output, so that a script can read it."""

    help = "Make an API token for PROJECT that acts for a user, and print it. It is not shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments of the command."""
        parser.add_argument("project", help="the project's slug")
        parser.add_argument("--user", required=True, metavar="NAME", help="a member, for whom the token acts")
        parser.add_argument(
            "--scope", action="append", choices=Scope.values, required=True, help="may be given twice"
        )
        parser.add_argument("--name", default="command line", help="where it is used")
        parser.add_argument("--days", type=int, help="how long it lasts (default: until it is revoked)")

    def handle(
        self, *, project: str, user: str, scope: list[str], name: str, days: int | None, **options: Any
    ) -> None:
        """Create the token, and print it."""
        try:
            _, plaintext = token_create(
                project=_project(project),
                user=_user(user),
                name=name,
                scopes=[Scope(value) for value in scope],
                expires=timezone.now() + timedelta(days=days) if days is not None else None,
            )
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from refused
        except (PermissionDenied, Http404) as refused:
            raise CommandError(f"{user}: {refused}") from refused
        except OverflowError as refused:
            raise CommandError(
                f"--days {days}: expected a number of days that leads to a valid date."
            ) from refused
        self.stdout.write(plaintext)


def _project(slug: str) -> Project:
    found = Project.objects.filter(slug=slug).first()
    if found is None:
        known = ", ".join(Project.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no project “{slug}”; there are: {known}.")
    return found


def _user(name: str) -> User:
    found = User.objects.filter(username=name).first()
    if found is None:
        raise CommandError(f"Nobody signs in as “{name}”; `manage.py create_user` makes users.")
    return found
