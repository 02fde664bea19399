import re

import pytest

from ingest.models import Kernel
from perfweb.portal.text import formatting
from tests.factories import make_application, make_campaign, make_member, make_project, make_run, make_series
from tests.portal.stories import laws, text
from tests.portal.stories import make_story as make_modelled_story

pytestmark = pytest.mark.django_db


def make_story(more: int = 0):
    """Make the story with its measurements."""
    member, application, campaigns = make_modelled_story(more=more)
    make_series(campaigns[-1])
    return member, application, campaigns


def test_it_works(client):
    member, application, campaigns = make_story()
    client.force_login(member)
    page = client.get("/search/", {"q": "HALO"}).content.decode()
    halo = application.kernels.get(path="main->halo")
    assert f'href="/campaigns/{campaigns[-1].pk}/kernels/{halo.pk}/"' in page
    assert "sweep" not in page


def test_versions_and_applications_are_found(client):
    member, _, _ = make_story()
    client.force_login(member)
    assert "?version=1.1" in client.get("/search/", {"q": "1.1"}).content.decode()
    assert "?version=1.2" in client.get("/search/", {"q": "0000002"}).content.decode()
    assert 'href="/a/storm/hydro/"' in client.get("/search/", {"q": "hyd"}).content.decode()


@pytest.mark.parametrize("words", ["hydro halo", "HALO 1.2", "hydro 1.2 halo", "main › halo", "halo 0000002"])
def test_all_words_must_match_application_version_or_kernel(client, words):
    member, application, campaigns = make_story()
    client.force_login(member)
    page = client.get("/search/", {"q": words}).content.decode()
    halo = application.kernels.get(path="main->halo")
    assert re.findall(r'href="(/campaigns/[^"]+)"', page) == [
        f"/campaigns/{campaigns[-1].pk}/kernels/{halo.pk}/"
    ]


def test_a_version_in_the_query_finds_the_kernel_in_that_version(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    page = client.get("/search/", {"q": "halo 1.1"}).content.decode()
    assert f"/campaigns/{campaigns[1].pk}/kernels/" in page
    assert "Nothing found" in client.get("/search/", {"q": "halo 7.7"}).content.decode()
    assert "?version=1.1" in client.get("/search/", {"q": "hydro 1.1"}).content.decode()


def test_a_found_kernel_is_shown_with_its_share_and_change(client):
    member, _, campaigns = make_story()
    client.force_login(member)
    found = text(client.get("/search/", {"q": "halo"}))
    run = campaigns[-1].runs.get()
    model = run.models.get(kernel__path="main->halo")
    share = formatting.share(model.predicted / run.totals.get().predicted)
    assert f"{formatting.quantity(model.predicted, 's')} {share} ▲ law worse" in found
    assert "● same" in text(client.get("/search/", {"q": "sweep"}))
    # The first version has no verdict, because no version before it exists.
    assert "● same" not in text(client.get("/search/", {"q": "sweep 1.0"}))


def test_only_the_first_results_are_shown_while_typing(client):
    member, _, _ = make_story(more=60)
    client.force_login(member)
    typed = {"HX-Request": "true", "HX-Target": "found"}
    page = client.get("/search/", {"q": "step"}, headers=typed).content.decode()
    assert "<html" not in page
    assert page.count("/kernels/") == 3
    assert 'href="/search/?q=step"' in page


def test_other_projects_are_not_searched(client):
    make_run(make_campaign(make_application(make_project(), slug="secret"), "1.0"), laws())
    client.force_login(make_member(make_project()))
    assert "Nothing found" in client.get("/search/", {"q": "halo"}).content.decode()


def test_wildcards_are_matched_literally(client):
    member, _, _ = make_story()
    client.force_login(member)
    assert "Nothing found" in client.get("/search/", {"q": "%%"}).content.decode()


def test_a_single_letter_is_not_searched(client):
    member, _, _ = make_story()
    client.force_login(member)
    assert "at least two characters" in client.get("/search/", {"q": "h"}).content.decode()


def test_queries(client, django_assert_max_num_queries):
    member, _, _ = make_story(more=60)
    client.force_login(member)
    with django_assert_max_num_queries(12):
        client.get("/search/", {"q": "step"})


def test_callers_that_were_not_measured_are_not_found(client):
    member, application, _ = make_story()
    Kernel.objects.create(application=application, path="main->halo->inner")
    client.force_login(member)
    page = text(client.get("/search/", {"q": "halo"}))
    assert "main › halo" not in page
    assert "not modelled" not in page


def test_of_too_many_kernels_those_with_the_largest_shares_are_shown(client):
    member, application, campaigns = make_story(more=60)
    heavy = application.kernels.get(path="main->step_0059")
    campaigns[-1].runs.get().models.filter(kernel=heavy).update(predicted=1e3)
    client.force_login(member)
    page = client.get("/search/", {"q": "step"})
    assert "Only the 40 with the largest shares are shown" in page.content.decode()
    assert page.context["found"].applications[0].kernels[0].kernel == heavy
