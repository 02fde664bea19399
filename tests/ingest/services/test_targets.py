"""The automatic target of an application, which is updated by each new campaign."""

import json
from importlib import import_module

import pytest
from django.apps import apps

from ingest.models import Application, Campaign, Target
from ingest.services import campaign_delete
from ingest.services.targets import target_follow
from ingest.signals import target_moved
from ingest.tasks import upload_ingest
from modeling.services import application as services
from tests.factories import make_application, make_user
from tests.ingest.sent import send
from tests.ingest.services.test_growing import run_of, time_passes

pytestmark = pytest.mark.django_db


@pytest.fixture
def moved():
    moved_to = []

    def listen(application, **_):
        moved_to.append(application.targets.get().values)

    target_moved.connect(listen)
    yield moved_to
    target_moved.disconnect(listen)


def store(project, *processes, version="1.0"):
    """Store a campaign of one upload, measured at these numbers of processes."""
    rows = [{"params": {"p": p}, "callpath": "main", "value": 1.0 + p} for p in processes]
    upload_ingest(send(project, "\n".join(map(json.dumps, rows)), version).pk)


def values():
    return list(Target.objects.values_list("values", "automatic"))


def test_it_works(project, moved):
    store(project, 4, 8, 16, 32, 64)
    assert values() == [({"p": 1024.0}, True)]
    assert Target.objects.get().name == "p = 1,024"
    store(project, 4, 8, 16, 32, 64, version="1.1")
    store(project, 4, 8, version="1.2")
    store(project, 8, 16, 32, 64, 128, version="1.3")
    assert values() == [({"p": 2048.0}, True)]
    assert moved == [{"p": 1024.0}, {"p": 2048.0}]


def test_a_campaign_of_several_files_sets_the_target_once(project, moved):
    for p in (4, 8, 16, 32, 64):
        upload_ingest(send(project, run_of(p, p * 1.0), campaign="night").pk)
    assert not moved
    time_passes()
    assert moved == [{"p": 1024.0}]
    upload_ingest(send(project, run_of(128, 128.0), campaign="night").pk)
    time_passes()
    assert moved == [{"p": 1024.0}, {"p": 2048.0}]


def test_a_few_further_points_do_not_move_the_target(project):
    store(project, 4, 8, 16, 32, 64)
    store(project, 2048, 4096)
    assert values() == [({"p": 1024.0}, True)]


@pytest.mark.parametrize("change", ["add", "default"])
def test_a_target_set_by_people_is_kept(project, moved, change):
    store(project, 4, 8, 16, 32, 64)
    application, user = Application.objects.get(), make_user()
    if change == "add":
        services.target_add(application=application, name="rack", values={"p": 2e4}, user=user)
    else:
        services.target_make_default(target=Target.objects.get(), user=user)
    before = values()
    store(project, 128, 256, 512, 1024, 4096, version="1.1")
    assert values() == before
    assert before[0] == ({"p": 1024.0}, False)
    assert len(moved) == 1


def test_after_peoples_targets_are_removed_the_portal_chooses_one_again(project):
    store(project, 4, 8, 16, 32, 64)
    user = make_user()
    services.target_make_default(target=Target.objects.get(), user=user)
    services.target_remove(target=Target.objects.get(), user=user)
    assert values() == [({"p": 1024.0}, True)]


def test_the_target_follows_the_role_of_a_parameter(project):
    rows = [{"params": {"a": a, "b": a * a}, "callpath": "main", "value": a} for a in (1, 2, 4, 8, 16)]
    upload_ingest(send(project, "\n".join(map(json.dumps, rows))).pk)
    assert values() == [({"a": 64.0, "b": 4096.0}, True)]
    b = Application.objects.get().parameters.get(name="b")
    services.parameter_describe(parameter=b, role="processes", unit="", user=make_user())
    assert values() == [({"a": 64.0, "b": 4096.0}, True)]


def test_parameters_that_were_varied_together_keep_their_relation_at_the_target(project):
    points = [
        {"ranks": 8 * nodes, "nodes": nodes, "n": round(100 * nodes ** (1 / 3))} for nodes in (1, 2, 4, 8, 16)
    ]
    rows = [{"params": point, "callpath": "main", "value": 1} for point in points]
    upload_ingest(send(project, "\n".join(map(json.dumps, rows))).pk)
    target = Target.objects.get()
    assert target.values == {"ranks": 2048.0, "nodes": 256.0, "n": 635.0}
    assert target.name == "ranks = 2,048, nodes = 256, n = 635"


def test_nodes_that_were_filled_one_after_the_other_are_full_at_the_target(project):
    pairs = [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4), (32, 8), (64, 16)]
    rows = [
        {"params": {"ranks": ranks, "nodes": nodes, "n": 100 * ranks}, "callpath": "main", "value": 1}
        for ranks, nodes in pairs
    ]
    upload_ingest(send(project, "\n".join(map(json.dumps, rows))).pk)
    assert values() == [({"ranks": 1024.0, "nodes": 256.0, "n": 102_400.0}, True)]


def test_ranks_and_nodes_that_varied_freely_have_no_relation_at_the_target(project):
    rows = [
        {"params": {"ranks": nodes * each, "nodes": nodes}, "callpath": "main", "value": 1}
        for nodes in (1, 2, 4, 8, 16)
        for each in (1, 2, 4)
    ]
    upload_ingest(send(project, "\n".join(map(json.dumps, rows))).pk)
    assert values() == [({"ranks": 1024.0, "nodes": 16.0}, True)]


def test_a_target_keeps_the_relation_of_one_version_if_another_varied_freely(project):
    for version, pairs in (
        ("1", [(a, 8 * a) for a in (1, 2, 4, 8, 16)]),
        ("2", [(a, b) for a in (1, 2, 4, 8) for b in (8, 16)]),
    ):
        rows = [{"params": {"nodes": a, "ranks": b}, "callpath": "main", "value": 1} for a, b in pairs]
        upload_ingest(send(project, "\n".join(map(json.dumps, rows)), version).pk)
    assert values() == [({"nodes": 256.0, "ranks": 2048.0}, True)]


def test_without_measurements_the_target_is_kept(project):
    store(project, 4, 8, 16, 32, 64)
    campaign_delete(campaign=Campaign.objects.get(), user=make_user())
    target_follow(Application.objects.get())
    assert values() == [({"p": 1024.0}, True)]


def test_the_migration_marks_targets_that_nobody_chose_as_automatic(project):
    migration = import_module("ingest.migrations.0006_automatic_target")
    ours, theirs, two = (make_application(project, slug) for slug in ("ours", "theirs", "two"))
    services.target_make_default(target=theirs.targets.get(), user=make_user())
    Target.objects.create(application=two, name="rack", values={"p": 2.0})
    migration.mark(apps, None)
    assert list(Target.objects.filter(automatic=True)) == [ours.targets.get()]
