"""The version with which each version is compared, chosen by branch."""

import pytest

from modeling.models import ReleaseRules
from modeling.selectors.versions.baselines import baseline_places
from modeling.selectors.versions.standings import baseline_of, line_of, line_through, lineage_of, standings
from tests.factories import make_application, make_campaign

BRANCHED = ["main", "main", "fix", "main", "fix", "other"]


@pytest.mark.parametrize(
    ("branches", "main", "expected"),
    [
        (["", "", ""], "", [None, 0, 1]),
        (["main", "main"], "", [None, 0]),
        (BRANCHED, "", [None, 0, 1, 1, 2, 3]),
        (["", "fix", ""], "", [None, 0, 0]),  # An empty branch is the main branch.
        # Without a main branch, each version is compared with the one before it.
        (["v1", "v2", "v2", "v3"], "", [None, 0, 1, 2]),
        (["develop", "main", "fix"], "develop", [None, 0, 0]),
        (["fix", "main"], "", [None, 0]),  # No version of the main branch came before.
        ([], "", []),
    ],
)
def test_it_works(branches, main, expected):
    assert baseline_places(branches, main) == expected


@pytest.fixture
def application(db):
    found = make_application()
    for number, branch in enumerate(BRANCHED):
        campaign = make_campaign(found, f"1.{number}")
        campaign.version.branch = branch
        campaign.version.save()
        make_campaign(found, f"1.{number}", "laptop")
    return found


def labels(line):
    return [standing.label for standing in line]


def test_each_machine_has_its_own_baselines(application):
    ordered = standings(application)
    for machine in {standing.machine for standing in ordered}:
        line = line_of(ordered, machine)
        before = [baseline_of(line, standing) for standing in line]
        assert [each and each.label for each in before] == [None, "1.0", "1.1", "1.1", "1.2", "1.3"]


def test_a_lineage_contains_its_branch_and_the_main_branch_before_it(application):
    line = line_of(standings(application), standings(application)[0].machine)
    assert labels(lineage_of(line)) == ["1.0", "1.1", "1.3", "1.5"]
    assert labels(lineage_of(line, line[4])) == ["1.0", "1.1", "1.2", "1.4"]
    assert labels(line_through(line, line[1])) == ["1.0", "1.1", "1.3", "1.5"]
    assert labels(line_through(line, line[2])) == ["1.0", "1.1", "1.2"]


def test_a_maintainer_can_name_the_main_branch(application):
    ReleaseRules.objects.create(application=application, main_branch="fix")
    line = line_of(standings(application), standings(application)[0].machine)
    assert labels(lineage_of(line)) == ["1.0", "1.1", "1.2", "1.4", "1.5"]
