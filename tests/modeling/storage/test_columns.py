"""Array columns in binary form against the same columns as text."""

import numpy as np
import pytest
from django.db import connection

from modeling.storage.columns import array_of

pytestmark = pytest.mark.django_db


def sent(text):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT array_send({text})")
        (found,) = cursor.fetchone()
    return found


@pytest.mark.parametrize(
    ("text", "values", "kind"),
    [
        ("ARRAY[1.5, -2e300, 'NaN', 'Infinity']::float8[]", [1.5, -2e300, np.nan, np.inf], float),
        ("ARRAY[7, -9000000000]::int8[]", [7, -9_000_000_000], np.int64),
        ("ARRAY[true, false, true]", [True, False, True], bool),
        ("ARRAY[]::float8[]", [], float),
        ("ARRAY[]::bool[]", [], bool),
    ],
)
def test_it_reads_what_the_database_sends(text, values, kind):
    found = array_of(sent(text))
    np.testing.assert_array_equal(found, np.array(values, kind))
    assert found.dtype == kind


def test_a_missing_element_is_refused():
    with pytest.raises(ValueError, match="NULL"):
        array_of(sent("ARRAY[1.5, NULL]::float8[]"))
