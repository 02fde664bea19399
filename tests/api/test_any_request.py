"""No request makes the portal fail, whether the OpenAPI description allows the request or not."""

import pytest
import schemathesis
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.wsgi import get_wsgi_application
from django.db import connection
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemathesis.generation import GenerationMode
from schemathesis.schemas import BaseSchema

from ingest.models import Campaign, Kernel, Upload
from ingest.services import dependencies_store
from modeling.models import Alert, Report
from perfweb.accounts.models import Role, Scope
from tests.api.test_matrix import TAINT
from tests.factories import (
    make_alert,
    make_application,
    make_campaign,
    make_comparison,
    make_member,
    make_project,
    make_report,
    make_run,
    make_series,
    make_token,
)

pytestmark = pytest.mark.django_db

EXAMPLES = 40
OPERATIONS = (
    "v1_applications_list", "application", "upload_create", "upload", "campaign", "models", "comparison",
    "comparison_create", "kernel_history", "dependencies", "dependencies_put", "alerts", "alert_triage",
    "gate", "modelers", "modelers_choose", "plan", "plan_keep", "report", "reports",
)  # fmt: skip


@pytest.fixture(scope="module")
def described(rows_of_module) -> BaseSchema:
    """Return the operations that the portal describes. The document takes a second to write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)
        described = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application())
    described.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    return described


@pytest.fixture(autouse=True)
def _connection_stays(monkeypatch) -> None:
    """Keep the connection after a request, because the test still needs it."""
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)


@pytest.fixture(scope="module")
def token(rows_of_module) -> str:
    """Return the token of the owner of a project that has rows of every kind, made once for all tests."""
    project = make_project("storm")
    application = make_application(project)
    campaigns = [make_campaign(application, label) for label in ("1.0", "1.1")]
    for campaign in campaigns:
        make_run(campaign, {"main": (0.5, [(0.01, (1.0, 0.0, 0.0, 0.0))])})
        make_series(campaign)
    make_alert(campaigns[1], "main", make_comparison(*campaigns))
    make_report(campaigns[1])
    owner = make_member(project, Role.OWNER)
    dependencies_store(application=application, file=ContentFile(TAINT, "taint.json"), user=owner)
    return make_token(owner, project, *Scope)[1]


QUERIES = {"gate": {"version": "1.1"}, "plan_keep": {}}
"""Query parameters that operations need in addition to the values in their address."""


def known(name: str) -> dict[str, object]:
    """Return values of the address that name existing rows."""
    ids = {
        "upload": Upload,
        "campaign": Campaign,
        "models": Campaign,
        "modelers": Campaign,
        "modelers_choose": Campaign,
        "kernel_history": Kernel,
        "alert_triage": Alert,
        "report": Report,
    }
    if name in ids:
        return {"id": ids[name].objects.first().pk}
    return (
        {"slug": "hydro"} if name not in ("v1_applications_list", "comparison", "comparison_create") else {}
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_request_causes_a_server_error(token, described, schema, name):
    operation = described.find_operation_by_id(name)
    problem = Draft202012Validator(schema["components"]["schemas"]["Problem"])
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    there = known(name)
    statuses = set()

    @given(case=operation.as_strategy(), real=st.booleans())
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def ask(case, real):
        cache.clear()  # The limit on the number of requests must not apply here.
        if real and name in ("comparison", "comparison_create"):
            case.query = {**(case.query or {}), "application": "hydro", "before": "1.0", "after": "1.1"}
        elif real and there:
            case.path_parameters = there
            case.query = QUERIES.get(name, case.query)
        answer = case.call(headers=headers)
        statuses.add(answer.status_code)
        assert answer.status_code < 500, case.as_curl_command()
        if answer.status_code >= 400:
            problem.validate(answer.json())

    ask()
    if name != "dependencies_put":  # No random file is a valid list of dependencies.
        assert statuses & {200, 201, 202}


def test_all_operations_are_requested(schema):
    found = {each["operationId"] for path in schema["paths"].values() for each in path.values()}
    assert found == set(OPERATIONS)
