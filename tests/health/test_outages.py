"""What the probes and pages answer while the portal cannot work."""

import errno

import pytest
from django.db import DatabaseError, connection
from redis.exceptions import ConnectionError as BrokerAway

from perfweb.health.outages import BROKER_AWAY, DATABASE_AWAY, DISK_FULL, READ_ONLY, Outage, outage_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("statements", "outage"),
    [
        ("DO $$ BEGIN RAISE disk_full; END $$", DISK_FULL),
        ("DO $$ BEGIN RAISE admin_shutdown; END $$", DATABASE_AWAY),
        ("SET TRANSACTION READ ONLY; CREATE TABLE t (i int)", READ_ONLY),
        ("SELECT" + ",".join("1" * 1665), None),  # Too many columns are an error of the portal itself.
        ("SELECT 1/0", None),
    ],
)
def test_errors_of_the_database_are_classified(statements: str, outage: Outage | None) -> None:
    with pytest.raises(DatabaseError) as raised, connection.cursor() as cursor:
        cursor.execute(statements)
    assert outage_of(raised.value) is outage


@pytest.mark.parametrize(
    ("problem", "outage"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DISK_FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), DISK_FULL),
        (FileNotFoundError(errno.ENOENT, "gone"), None),
        (BrokerAway("away"), BROKER_AWAY),
        (KeyError("a fault"), None),
        (None, None),
    ],
)
def test_other_problems(problem: Exception | None, outage: Outage | None) -> None:
    assert outage_of(problem) is outage
