"""The parameter along which pages show values."""

import pytest

from ingest.guessing.roles import parameter_role
from ingest.models import Campaign, Parameter
from ingest.selectors import main_axis, processes_of


def measured(points, **roles):
    """Return a campaign with these points, and its parameters. A role that is None is guessed
    from the name.
    """
    campaign = Campaign(parameters=list(roles), points=points)
    rows = [Parameter(name=name, role=role or parameter_role(name)) for name, role in roles.items()]
    return campaign, rows


@pytest.mark.parametrize(
    ("names", "points", "found"),
    [
        (("n", "ranks"), [[1, 4], [1, 8]], "ranks"),
        (("threads", "ranks"), [[1, 4], [2, 8]], "ranks"),
        (("threads", "nodes"), [[1, 4], [2, 8]], "nodes"),
        # Strong scaling over threads: the number of ranks is constant.
        (("threads", "ranks"), [[1, 4], [2, 4]], "threads"),
        (("ranks", "jobsize"), [[4, 4], [8, 8]], "jobsize"),
        (("n", "ranks"), [[1, 4], [2, 4]], None),
        (("n", "x"), [[1, 4], [2, 8]], None),
    ],
)
def test_processes_are_the_first_kind_that_varies(names, points, found):
    parameter = processes_of(*measured(points, **dict.fromkeys(names)))
    assert (parameter and parameter.name) == found


def test_a_role_set_by_people_takes_precedence_over_names():
    assert processes_of(*measured([[1, 4], [2, 8]], ranks=None, x="processes")).name == "x"
    assert processes_of(*measured([[1, 4], [2, 8]], ranks="other", threads=None)).name == "threads"


def test_without_processes_the_first_varying_parameter_is_the_axis():
    assert main_axis(*measured([[4, 1], [4, 2]], ranks=None, n=None)).name == "n"
    assert main_axis(*measured([[4, 1]], ranks=None, n=None)).name == "ranks"
    assert main_axis(*measured([[4, 1], [8, 2]], n=None, ranks=None)).name == "ranks"
    campaign, rows = measured([[4, 1]], ranks=None, n=None)
    assert main_axis(campaign, [*rows[1:], Parameter(name="elsewhere", role="processes")]).name == "n"
    assert main_axis(campaign, []) is None


def test_measured_values_are_ascending_in_the_order_of_parameters():
    campaign = Campaign(parameters=["p", "n"], points=[[8.0, 1.0], [4.0, 1.0], [8.0, 1.0]])
    assert campaign.measured_values() == {"p": [4.0, 8.0], "n": [1.0]}
    assert list(campaign.measured_values()) == ["p", "n"]
    assert campaign.varied_parameters() == ["p"]
