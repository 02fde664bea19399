"""`manage.py create_user NAME --project PROJECT` makes a user who may sign in."""

import secrets
import sys
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils.text import slugify

from perfweb.accounts.models import Project, Role, User
from perfweb.accounts.services import membership_set, project_create, user_create
from perfweb.management.base import PortalCommand


class Command(PortalCommand):
    """Makes a user, who may become a member of a project at once."""

    help = "Make a user who may sign in. The password is made up and printed, or read from standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments of the command."""
        parser.add_argument("name")
        parser.add_argument("--project", help="make the user a member; a new project gets the user as owner")
        parser.add_argument("--role", choices=[role.label for role in Role], default=Role.CONTRIBUTOR.label)
        parser.add_argument("--password-stdin", action="store_true", help="read it from standard input")

    @transaction.atomic
    def handle(
        self, *, name: str, project: str | None, role: str, password_stdin: bool, **options: Any
    ) -> None:
        """Create the user."""
        password = sys.stdin.readline().rstrip("\n") if password_stdin else secrets.token_urlsafe(12)
        if not password:
            raise CommandError("There is no password on standard input.")
        try:
            user = user_create(username=name, password=password)
            if project:
                _join(user, project, role)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(
            f"{name} can sign in" + ("." if password_stdin else f" with the password {password}")
        )


def _join(user: User, slug: str, role: str) -> None:
    if found := Project.objects.filter(slug=slug).first():
        membership_set(project=found, user=user, role=Role[role.upper()])
        return
    if slugify(slug) != slug.lower():
        expected = f"an address such as {slugify(slug) or 'solvers'}"
        raise CommandError(f"--project: found “{slug}”, expected {expected}")
    project_create(name=slug, slug=slug, owner=user)
