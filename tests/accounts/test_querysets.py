"""Readers see only rows of the given projects, by whichever relation a row belongs to its project."""

import pytest

from ingest.models import Application, Campaign, Kernel, Machine, Upload, Version
from perfweb.accounts.models import Project
from tests.factories import make_application, make_campaign, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Application, Campaign, Kernel, Machine, Upload, Version])
def test_rows_of_other_projects_are_excluded(model):
    projects = [make_project(slug) for slug in ("ours", "theirs")]
    for project in projects:
        campaign = make_campaign(make_application(project), "1.0")
        Kernel.objects.create(application=campaign.version.application, path="main")
    assert model.objects.count() == 2
    found = [list(model.objects.in_projects([project])) for project in projects]
    assert [len(rows) for rows in found] == [1, 1]
    assert found[0] != found[1]
    assert list(model.objects.in_projects(Project.objects.filter(slug="ours"))) == found[0]
    assert not model.objects.in_projects([]).exists()
