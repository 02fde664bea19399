"""Arrays of numbers are read in PostgreSQL's binary format."""

import numpy as np
import pytest
from django.db import DatabaseError, connection

from ingest.bulk.read import read_arrays

pytestmark = pytest.mark.django_db

ROWS = "SELECT a::bigint, b::bigint, numbers::double precision[] FROM (VALUES {}) AS v(a, b, numbers)"


def read(query, *parameters):
    """Return all rows as (first, second, numbers)."""
    found = []

    def take(first, second, numbers):
        assert len(first) == len(second) == len(numbers)
        found.extend(zip(first.tolist(), second.tolist(), numbers.tolist(), strict=True))

    read_arrays(query, parameters, take)
    return found


def values(*rows):
    return ROWS.format(", ".join(rows))


def test_rows_are_returned_unchanged_and_in_order():
    rows = read(values("(1, 2, '{0.1,1e-60,1e60}')", "(-3, 4, '{0,-0.5,NaN}')"))
    assert rows[0] == (1, 2, [0.1, 1e-60, 1e60])
    assert rows[1][:2] == (-3, 4)
    np.testing.assert_array_equal(rows[1][2], [0, -0.5, np.nan])


def test_no_row():
    assert read("SELECT 1::bigint, 1::bigint, '{1}'::float8[] WHERE %s", False) == []


def test_rows_may_have_different_lengths_and_missing_values():
    kinds = ["'{1,2}'", "'{}'", "'{1,NULL,3}'", "'{1}'", "'{NULL}'", "'{NULL,NULL,NULL,NULL}'"]
    rows = read(values(*(f"({number}, 1, {kinds[number % 6]})" for number in range(600))))
    assert [row[0] for row in rows] == [*range(600)]
    nan = np.nan
    expected = [[1, 2], [], [1, nan, 3], [1], [nan], [nan] * 4]
    for number, _, numbers in rows:
        np.testing.assert_array_equal(numbers, expected[number % 6])


@pytest.mark.parametrize("bytes_at_once", [1, 61, 1000, 100_000])
def test_rows_may_be_split_at_any_byte(monkeypatch, bytes_at_once):
    monkeypatch.setattr("ingest.bulk.read.BYTES_AT_ONCE", bytes_at_once)
    query = """
        SELECT k::bigint, 7::bigint, ARRAY(SELECT k + i::float8 / 8 FROM generate_series(1, 1 + k / 300) i)
        FROM generate_series(1, 1000) k
    """
    rows = read(query)
    assert [row[0] for row in rows] == [*range(1, 1001)]
    assert all(numbers == [k + i / 8 for i in range(1, 2 + k // 300)] for k, _, numbers in rows)


def test_a_database_error_is_one_of_djangos():
    with pytest.raises(DatabaseError):
        read("SELECT 1::bigint, 1::bigint, ARRAY[1.0 / %s]", 0)


def test_after_an_error_in_our_code_the_connection_still_works():
    def take(*_):
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        read_arrays(values(*(f"({number}, 1, '{{1}}')" for number in range(100_000))), [], take)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
