"""Renamed kernels are compared under both names, and their paths suggest which pairs are the same kernel."""

import numpy as np
import pytest

from ingest.models import Kernel
from modeling.models import Comparison, State
from modeling.selectors.versions.aliases import compared_as, in_the_end, renamings
from modeling.services.changes.aliases import kernel_join, kernel_separate
from modeling.tasks import comparison_execute
from perfweb.accounts.models import Role
from tests.factories import make_member, make_project
from tests.modeling.stored import modelled

OTHERS = {f"main->step_{number}": lambda p: 1.0 + 0.01 * p for number in range(6)}


@pytest.mark.django_db
def test_joined_kernels_are_compared_with_each_other():
    project = make_project()
    modelled(project, "1.0", OTHERS | {"main->halo": lambda p: 0.5})
    modelled(project, "1.1", OTHERS | {"main->halo_exchange": lambda p: 0.5 + 0.05 * p})
    comparison = Comparison.objects.get()
    comparison_execute(comparison.pk)
    assert not comparison.changes.exists()
    old, new = (Kernel.objects.get(path=f"main->{name}") for name in ("halo", "halo_exchange"))
    alias = kernel_join(kernel=old, becomes=new, user=make_member(project, Role.MAINTAINER))
    comparison.refresh_from_db()
    assert comparison.state == State.QUEUED
    comparison_execute(comparison.pk)
    change = comparison.changes.get()
    assert (change.kernel, change.kind) == (new, "law")
    assert change.law_probability == pytest.approx(change.probability, abs=0.05)
    kernel_separate(alias=alias, user=make_member(project, Role.MAINTAINER))
    comparison_execute(comparison.pk)
    assert not comparison.changes.exists()


def test_a_kernel_stays_itself_where_the_campaign_has_both():
    assert compared_as(np.array([1, 2, 3]), {1: 9, 2: 3}).tolist() == [9, 2, 3]
    assert compared_as(np.array([1, 2]), {1: 9, 2: 9}).tolist() == [9, 2]


def test_circles_end():
    class Row:
        def __init__(self, kernel_id, becomes_id):
            self.kernel_id, self.becomes_id = kernel_id, becomes_id

    assert in_the_end([Row(1, 2), Row(2, 3)]) == {1: 3, 2: 3}
    assert set(in_the_end([Row(1, 2), Row(2, 1)])) == {1, 2}


def test_alike_paths_are_suggested_once_each():
    gone = [(1, "main->step->halo"), (2, "main->solve->cg"), (3, "main->io->write")]
    new = [(4, "main->advance->halo"), (5, "main->solve->pcg"), (6, "main->norm->reduce")]
    assert [(pair.gone, pair.new) for pair in renamings(gone, new)] == [(1, 4), (2, 5)]
    assert renamings([], new) == []


@pytest.mark.parametrize(
    ("short", "whole", "proposed"),
    [
        ("eos", "equation_of_state", True),
        ("eos", "EquationOfState", True),
        ("eos", "equation_of_motion", False),
        ("io", "initial_offset", False),
    ],
)
def test_initials_may_be_the_name_of_a_renamed_kernel(short: str, whole: str, *, proposed: bool) -> None:
    for before, after in ((short, whole), (whole, short)):
        found = renamings([(1, f"main->{before}")], [(2, f"main->{after}")])
        assert [(pair.gone, pair.new) for pair in found] == [(1, 2)] * proposed
