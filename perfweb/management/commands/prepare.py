"""`manage.py prepare` is run once by a team's server before its processes start."""

from typing import Any

from perfweb.http import static_files
from perfweb.management.base import PortalCommand


class Command(PortalCommand):
    """Updates tables and static files."""

    help = "Bring the database's tables and the static files up to date; `manage.py up` does it by itself."

    def handle(self, **options: Any) -> None:
        """Collect the static files; every command updates the tables before it runs."""
        static_files.collect()
