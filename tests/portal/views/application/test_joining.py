"""Kernels that were renamed: pages suggest pairs, and after a maintainer joins a pair it has one history."""

import pytest

from ingest.models import Kernel
from modeling.models import Comparison, KernelAlias, Model, State
from modeling.services.changes.aliases import kernel_join
from modeling.services.predictions.trends import trends_follow
from modeling.verdicts import Verdict
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_application, make_member, make_project
from tests.portal.stories import make_story, text

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/kernels/join/"
COMPARE = "/a/storm/hydro/compare/"
HISTORY = "/a/storm/hydro/history/"


@pytest.fixture
def renamed(client):
    """The last version renames the kernel sweep to sweep_cells. Return both kernels' ids as form fields."""
    member, application, campaigns = make_story(Role.MAINTAINER)
    client.force_login(member)
    new = Kernel.objects.create(application=application, path="main->sweep_cells")
    Model.objects.filter(run__campaign=campaigns[-1], kernel__path="main->sweep").update(kernel=new)
    trends_follow(application, campaigns[-1].machine, campaigns[-1].version_id)
    return {"kernel": application.kernels.get(path="main->sweep").pk, "becomes": new.pk}


def test_it_works(client, renamed):
    assert "They are the same" in text(client.get(COMPARE))
    answer = client.post(URL, renamed | {"action": "join", "query": "before=1.1&after=1.2"})
    assert (answer.status_code, answer["Location"]) == (302, f"{COMPARE}?before=1.1&after=1.2")
    assert KernelAlias.objects.get().becomes_id == renamed["becomes"]
    assert AuditEntry.objects.get().action == "kernel.join"


def test_joined_kernels_are_one_kernel_on_all_pages(client, renamed):
    client.post(URL, renamed)
    Comparison.objects.update(state=State.DONE)
    page = client.get(COMPARE, {"show": "same"})
    assert [(row.name, row.renamed_from) for row in page.context["rows"]] == [
        ("sweep_cells", "main->sweep"),
        ("setup", ""),
    ]
    assert "They are the same" not in text(page)
    rows = {row.kernel.name: row for row in client.get(HISTORY, {"kernels": "all"}).context["page"].rows}
    assert set(rows) == {"halo", "sweep_cells", "setup"}
    cells = rows["sweep_cells"].cells
    assert [cell.present for cell in cells] == [True, True, True]
    assert [cell.kernel_id for cell in cells] == [renamed["kernel"], renamed["kernel"], renamed["becomes"]]
    assert not cells[-1].new


def test_a_renamed_kernel_keeps_its_history_on_the_application_page(client, renamed):
    page = "/a/storm/hydro/?constants=show"
    lines = {line.kernel.name: line for line in client.get(page).context["lines"]}
    assert (lines["sweep_cells"].verdict, lines["sweep_cells"].course[:2]) == (None, [None, None])
    client.post(URL, renamed)
    Comparison.objects.update(state=State.DONE)
    lines = {line.kernel.name: line for line in client.get(page).context["lines"]}
    assert lines["sweep_cells"].verdict == Verdict.SAME
    assert None not in lines["sweep_cells"].course
    lines = {line.kernel.name: line for line in client.get(f"{page}&version=1.1").context["lines"]}
    assert None not in lines["sweep"].course  # In version 1.1 the kernel still has its old name.


def test_joined_kernels_can_be_separated(client, renamed):
    client.post(URL, renamed)
    Comparison.objects.update(state=State.DONE)
    assert "Separate" in text(client.get(COMPARE))
    client.post(URL, {"kernel": renamed["kernel"], "action": "separate"})
    assert not KernelAlias.objects.exists()
    assert client.get(HISTORY, {"kernels": "all"}).context["page"].kernel_count == 4


def test_joining_in_the_opposite_direction_is_refused(client, renamed):
    client.post(URL, renamed)
    turned = {"kernel": renamed["becomes"], "becomes": renamed["kernel"]}
    assert "already continues as" in text(client.post(URL, turned, follow=True))
    assert KernelAlias.objects.count() == 1


@pytest.mark.parametrize("odd", [{"kernel": "x"}, {"becomes": "9" * 30}, {"becomes": "0"}, {"kernel": "-1"}])
def test_an_invalid_id_is_not_found(client, renamed, odd):
    assert client.post(URL, renamed | odd).status_code == 404


def test_kernels_of_another_application_are_not_found(client, renamed):
    other = make_application(make_project(), "other")
    foreign = Kernel.objects.create(application=other, path="main->sweep")
    assert client.post(URL, renamed | {"becomes": foreign.pk}).status_code == 404


def test_a_viewer_cannot_join_kernels(client, renamed):
    application = Kernel.objects.get(pk=renamed["kernel"]).application
    client.force_login(make_member(application.project))
    assert client.post(URL, renamed).status_code == 403
    assert "They are the same" not in text(client.get(COMPARE))
    assert "a maintainer can join them" in text(client.get(COMPARE))


def test_a_kernel_that_was_renamed_twice_is_one_kernel(client, renamed):
    application = Kernel.objects.get(pk=renamed["kernel"]).application
    member = make_member(application.project, Role.MAINTAINER)
    first = Kernel.objects.create(application=application, path="main->old_sweep")
    kernels = Kernel.objects.in_bulk(list(renamed.values()))
    kernel_join(kernel=first, becomes=kernels[renamed["kernel"]], user=member)
    kernel_join(kernel=kernels[renamed["kernel"]], becomes=kernels[renamed["becomes"]], user=member)
    names = {row.kernel.name for row in client.get(HISTORY, {"kernels": "all"}).context["page"].rows}
    assert names == {"halo", "sweep_cells", "setup"}
