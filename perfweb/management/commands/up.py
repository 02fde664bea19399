"""`manage.py up`: the whole portal, from one command."""

from contextlib import closing
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from perfweb import static_files
from perfweb.launcher import portal
from perfweb.launcher.folder import FolderError
from perfweb.management.base import add_data_option


class Command(BaseCommand):
    """Starts servers, worker and pages, and stops them together."""

    help = "Start the portal: PostgreSQL, Valkey, a worker and the web server. Ctrl-C stops all."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Options."""
        add_data_option(parser)
        parser.add_argument(
            "--port", type=int, default=8000, help="0 takes a free one (default: %(default)s)"
        )
        parser.add_argument("--demo", action="store_true", help="bring a project with a measured application")

    def handle(self, *, port: int, demo: bool, **options: Any) -> None:
        """Run until stopped."""
        folder = settings.EMBEDDED
        try:
            with closing(portal.listen(port)) as listener:
                folder.prepare()
                settings.SECRET_KEY = folder.secret_key()
                with folder.lock():
                    portal.run(
                        folder,
                        listener,
                        migrate=self._migrate,
                        announce=lambda address: self._announce(address, demo=demo),
                        say=self._say,
                    )
        except FolderError as error:
            raise CommandError(str(error)) from error

    def _migrate(self) -> None:
        static_files.collect()
        call_command("migrate", verbosity=0, skip_checks=True)
        connections.close_all()

    def _announce(self, address: str, *, demo: bool) -> None:
        if demo:
            from perfweb.demo.load import load  # noqa: PLC0415 -- only a demo needs it

            load()
            connections.close_all()
        self._say(f"\nThe portal is ready:\n\n  {address}\n")
        self._say(sign_in_hint(demo=demo))
        self._say(f"Data: {settings.DATA_DIR}. Ctrl-C stops everything.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def sign_in_hint(*, demo: bool) -> str:
    """How to get in."""
    from perfweb.accounts.models import User  # noqa: PLC0415 -- commands are listed before apps are ready

    if demo:
        return "Sign in as demo with the password demo."
    if User.objects.exists():
        return "Sign in with your name and password."
    return "Nobody can sign in yet: make the first user with  manage.py create_user NAME --project PROJECT"
