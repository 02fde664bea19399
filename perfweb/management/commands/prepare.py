"""`manage.py prepare`: what a team's server runs once before its processes start."""

from typing import Any

from perfweb.http import static_files
from perfweb.management.base import PortalCommand


class Command(PortalCommand):
    """Brings tables and static files up to date."""

    help = "Bring the database's tables and the static files up to date; `manage.py up` does it by itself."

    def handle(self, **options: Any) -> None:
        """The tables are up to date by now, as for every command."""
        static_files.collect()
