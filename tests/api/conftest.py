import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from perfweb.accounts.models import Role, Scope
from tests.factories import make_member, make_project, make_token

READ, UPLOAD = Scope.READ, Scope.UPLOAD


class Api:
    """A REST client with a token for one project, like that of a job script."""

    def __init__(self, *scopes: Scope, role: Role = Role.CONTRIBUTOR, project: Any = None) -> None:
        self.project = project or make_project()
        self.user = make_member(self.project, role)
        self.token, self.plaintext = make_token(self.user, self.project, *(scopes or (READ, UPLOAD)))
        self.client = Client(headers={"Authorization": f"Bearer {self.plaintext}"})

    def get(self, address: str, status: int = 200, **query: object) -> Any:
        """Return the body of the answer to a GET request."""
        answer = self.client.get(f"/api/v1/{address}", query)
        assert answer.status_code == status, answer.content
        return answer.json()

    def post(self, address: str, status: int = 202, headers: Any = None, **fields: object) -> Any:
        """Send the fields as a form, and return the body of the answer."""
        answer = self.client.post(f"/api/v1/{address}", fields, headers=headers)
        assert answer.status_code == status, answer.content
        return answer.json()


@pytest.fixture
def api() -> Api:
    """Return a client whose token belongs to a contributor and may read and upload."""
    return Api()


@pytest.fixture(scope="session")
def schema(django_db_setup, django_db_blocker) -> dict[str, Any]:
    """Return the OpenAPI document that the portal serves."""
    with django_db_blocker.unblock():
        document: dict[str, Any] = Client().get("/api/schema/").json()
    return document


@pytest.fixture(scope="session")
def conforms(schema) -> Callable[[object, str], None]:
    """Return a function that checks a body against a component of the schema."""

    def check(body: object, component: str) -> None:
        validator = Draft202012Validator(
            {"$ref": f"#/components/schemas/{component}", "components": schema["components"]},
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        validator.validate(body)
        known(body, component)

    def known(body: Any, component: str) -> None:
        """Fail if the body has a field, at any depth, that the schema does not name."""
        properties = schema["components"]["schemas"][component]["properties"]
        assert set(body) == set(properties)
        for name, kind in properties.items():
            inner = json.dumps(kind).partition("#/components/schemas/")[2].partition('"')[0]
            entries = body[name] if isinstance(body[name], list) else [body[name]]
            for entry in entries:
                if inner and isinstance(entry, dict):
                    known(entry, inner)

    return check
