"""The parameters on which functions depend, read and sent over REST."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from ingest.models import Dependencies, Upload
from ingest.services import upload_ingest
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_application

pytestmark = pytest.mark.django_db

ADDRESS = "applications/hydro/dependencies/"
CONTENT = {
    "functions_mangled_names": ["_Z1fi"],
    "functions_demangled_names": ["f(int)"],
    "parameters": ["p", "n"],
    "functions": {"_Z1fi": {"loops": [{"instance": {"0": {"params": [["p", "n"]]}}}]}},
}


@pytest.fixture
def application(api):
    application = make_application(api.project)
    api.project.memberships.update(role=Role.MAINTAINER)
    return application


def put(api, content=CONTENT):
    file = SimpleUploadedFile("app_0.json", json.dumps(content).encode())
    return api.client.put(
        f"/api/v1/{ADDRESS}", encode_multipart(BOUNDARY, {"file": file}), content_type=MULTIPART_CONTENT
    )


def test_it_works(api, application, conforms):
    answer = put(api)
    assert answer.status_code == 200
    body = answer.json()
    assert body["functions"] == [{"name": "_Z1fi", "demangled": "f(int)", "depends_on": [["n", "p"]]}]
    assert (body["file_name"], body["parameters"]) == ("app_0.json", ["p", "n"])
    assert api.get(ADDRESS) == body
    conforms(body, "Dependencies")
    entry = AuditEntry.objects.get(action="dependencies.store")
    assert entry.token is not None


def test_without_stored_dependencies_the_answer_is_404(api, application):
    assert "send a file by PUT" in api.get(ADDRESS, 404)["detail"]


def test_a_contributor_cannot_store_dependencies(api, application):
    api.project.memberships.update(role=Role.CONTRIBUTOR)
    assert put(api).status_code == 403


def test_a_new_application_may_begin_with_its_dependencies(api):
    """A design needs no measurement, so nothing else makes the application before."""
    api.project.memberships.update(role=Role.CONTRIBUTOR)
    assert put(api).status_code == 403
    api.project.memberships.update(role=Role.MAINTAINER)
    assert put(api, {}).status_code == 422
    assert not api.project.applications.exists()
    assert put(api).status_code == 200
    assert api.project.applications.get().slug == "hydro"


def test_an_invalid_file_is_refused_and_changes_nothing(api, application):
    put(api)
    answer = put(api, CONTENT | {"parameters": ["p"]})
    assert answer.status_code == 422
    assert "the dependency “n”" in answer.json()["detail"]
    assert Dependencies.objects.get().parameters == ["p", "n"]


def test_an_upload_of_dependencies_is_refused_and_the_error_names_the_right_address(api, application):
    file = SimpleUploadedFile("app_0.json", json.dumps(CONTENT).encode())
    sent = api.post("applications/hydro/uploads/", file=file, version="1.0")
    upload_ingest(Upload.objects.get(pk=sent["id"]))
    error = api.get(f"uploads/{sent['id']}/")["error"]
    assert "no measurements" in error["found"]
    assert "settings page, or by PUT" in error["expected"]
