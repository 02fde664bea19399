"""The database's tables, brought up to date."""

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

LOCK = 7_276_390_112
"""Of this use alone: two processes that migrate at once would meet in the middle."""


def up_to_date() -> bool:
    """Whether every migration has been applied."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def migrate() -> None:
    """Apply what is missing; whoever comes second waits and finds nothing to do."""
    if up_to_date():
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            call_command("migrate", verbosity=0, skip_checks=True)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
