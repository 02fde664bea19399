"""Applies migrations to the database."""

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

LOCK = 7_276_390_112
"""Id of the lock that keeps two processes from migrating at the same time."""


def up_to_date() -> bool:
    """Return whether every migration has been applied."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def migrate() -> None:
    """Apply missing migrations; a second process waits, and then finds all of them applied."""
    if up_to_date():
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            call_command("migrate", verbosity=0, skip_checks=True)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
