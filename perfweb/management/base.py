"""What all commands of the portal share: `--data DIR`, and servers that run while they do."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from perfweb.launcher import servers, tables
from perfweb.launcher.folder import FolderError


def add_data_option(parser: CommandParser) -> None:
    """Document `--data`; manage.py has read it before the settings were."""
    parser.add_argument(
        "--data", metavar="DIR", default=str(settings.DATA_DIR), help="the data folder (default: %(default)s)"
    )


class PortalCommand(BaseCommand):
    """A command that needs the database: where the portal is not running, its servers start for the while."""

    requires_system_checks: tuple[str, ...] = ()  # they take longer than most commands; the tests run them

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Add `--data` to what the command defines."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        add_data_option(parser)
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run with the servers up and the tables there."""
        try:
            with servers.running(settings.EMBEDDED):
                tables.migrate()
                return super().execute(*args, **options)
        except FolderError as error:
            raise CommandError(str(error)) from error
