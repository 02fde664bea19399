"""The base class of the portal's commands, with the option `--data DIR`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from perfweb.launcher import servers, tables
from perfweb.launcher.folder import FolderError


def add_data_option(parser: CommandParser) -> None:
    """Add the option `--data` to the help; manage.py reads it before the settings are loaded."""
    parser.add_argument(
        "--data", metavar="DIR", default=str(settings.DATA_DIR), help="the data folder (default: %(default)s)"
    )


class PortalCommand(BaseCommand):
    """A command that needs the database; the database's servers are started if the portal is not running."""

    # Django's checks take longer than most commands; the tests run them
    requires_system_checks: tuple[str, ...] = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Add `--data` to the command's options."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        add_data_option(parser)
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run with running servers and migrated tables."""
        try:
            with servers.running(settings.EMBEDDED):
                tables.migrate()
                return super().execute(*args, **options)
        except FolderError as error:
            raise CommandError(str(error)) from error
