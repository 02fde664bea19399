"""Rows that are loaded faster than Django loads them."""

import pytest
from django.db import models

from ingest.models import Kernel
from tests.factories import make_alert, make_application, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def alert():
    return make_alert(make_campaign(make_application(), "1.0"), "main->halo", note="slow since the merge")


def test_a_loaded_row_equals_one_loaded_by_django(alert):
    kind = type(alert)
    columns = kind.objects.values_list().get(pk=alert.pk)
    names = [field.attname for field in kind._meta.concrete_fields]
    slow = models.Model.from_db.__func__(kind, "default", names, columns)
    quick = kind.objects.get(pk=alert.pk)
    assert {name: getattr(quick, name) for name in names} == {name: getattr(slow, name) for name in names}
    assert quick._state.adding is slow._state.adding is False
    assert quick._state.db == slow._state.db
    assert quick.__dict__.keys() == slow.__dict__.keys()


def test_a_deferred_column_is_loaded_when_it_is_read(alert, django_assert_num_queries):
    row = type(alert).objects.defer("note").get(pk=alert.pk)
    assert row.get_deferred_fields() == {"note"}
    with django_assert_num_queries(1):
        assert row.note == "slow since the merge"


def test_a_loaded_row_can_be_saved_and_refreshed(alert):
    row = type(alert).objects.select_related("kernel").get(pk=alert.pk)
    row.note = "fixed"
    row.save(update_fields=["note"])
    alert.refresh_from_db()
    assert alert.note == "fixed"
    assert row.kernel == Kernel.objects.get(path="main->halo")


def test_no_signal_receiver_is_connected_for_these_rows():
    assert not models.signals.pre_init.receivers
    assert all("Image" in str(receiver) for receiver in models.signals.post_init.receivers)
