"""`manage.py up` starts the whole portal with one command.

It starts the web server before it loads any app itself, so this module must not import models at its top.
"""

import secrets
from contextlib import closing
from typing import Any

import django
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from perfweb.http import static_files
from perfweb.launcher import portal, tables
from perfweb.launcher.folder import FolderError
from perfweb.launcher.hold import take
from perfweb.management.base import add_data_option


class Command(BaseCommand):
    """Starts servers, worker and pages, and stops them together."""

    help = "Start the portal: PostgreSQL, Valkey, a worker and the web server. Ctrl-C stops all."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options of the command."""
        add_data_option(parser)
        parser.add_argument(
            "--port", type=int, default=8000, help="0 takes a free one (default: %(default)s)"
        )
        parser.add_argument("--demo", action="store_true", help="add a project with a measured application")

    def handle(self, *, port: int, demo: bool, **options: Any) -> None:
        """Run the portal until it is stopped."""
        folder = settings.EMBEDDED
        try:
            with closing(portal.listen(port)) as listener:
                folder.prepare()
                with take(folder) as hold:
                    static_files.collect()
                    portal.run(
                        folder,
                        listener,
                        hold,
                        migrate=self._migrate,
                        announce=lambda address: self._announce(address, demo=demo),
                        say=self._say,
                    )
        except FolderError as error:
            raise CommandError(str(error)) from error

    def _migrate(self) -> None:
        django.setup()
        tables.migrate()

    def _announce(self, address: str, *, demo: bool) -> None:
        # the user is made first, so that nobody sees a portal without a user
        signing_in = _how_to_sign_in(demo=demo)
        self._say(f"\nThe portal is ready:\n\n  {address}\n")
        if demo:
            from perfweb.demo.load import load  # noqa: PLC0415 -- only a demo needs it

            load()
        self._say(signing_in)
        self._say(f"Data: {settings.DATA_DIR}. Ctrl-C stops everything.")
        connections.close_all()  # from here on the launcher only watches its processes

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _how_to_sign_in(*, demo: bool) -> str:
    """Return how to sign in; at the first start, create a user for it."""
    from perfweb.accounts.models import User  # noqa: PLC0415 -- see above
    from perfweb.accounts.services import user_create  # noqa: PLC0415

    if demo:
        return "Sign in as demo with the password demo."
    if User.objects.exists():
        return "Sign in with your name and password; manage.py create_user NAME adds somebody."
    password = secrets.token_urlsafe(12)
    user_create(username="admin", password=password)
    return f"Sign in as admin with the password {password} (shown this once)."
