import pytest
from django.core.management import call_command
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from perfweb.api.schema_hooks import examples
from tests.api.test_matrix import get_patterns


def test_it_is_openapi(schema):
    validate_schema(schema)
    assert schema["openapi"].startswith("3.1")


@pytest.mark.django_db
def test_nothing_in_it_is_named_by_chance(capsys):
    """drf-spectacular warns of names such as Verdict895Enum, which change when a field is added."""
    call_command("spectacular", "--fail-on-warn", "--validate")
    assert "Warning" not in capsys.readouterr().err


def test_it_has_every_address(schema):
    names = {"api:schema", "api:nothing"}
    addresses = {
        "/api/"
        + str(pattern.pattern)
        .replace("<str:slug>", "{slug}")
        .replace("<any:slug>", "{slug}")
        .replace("<int:pk>", "{id}")
        for pattern in get_patterns()
        if pattern.full_name.startswith("api:") and pattern.full_name not in names
    }
    assert {path.replace("{pk}", "{id}") for path in schema["paths"]} == addresses


def test_the_upload_operation_describes_its_fields(schema):
    operation = schema["paths"]["/api/v1/applications/{slug}/uploads/"]["post"]
    form = operation["requestBody"]["content"]["multipart/form-data"]["schema"]["$ref"].rpartition("/")[2]
    fields = schema["components"]["schemas"][form]
    assert set(fields["required"]) == {"file", "version"}
    assert fields["properties"]["file"]["format"] == "binary"
    assert {parameter["name"] for parameter in operation["parameters"]} == {
        "Idempotency-Key",
        "Prefer",
        "dry_run",
        "slug",
    }
    assert set(operation["responses"]) == {
        "202", "400", "401", "403", "404", "411", "413", "415", "422", "429", "503",
    }  # fmt: skip


def test_every_operation_accepts_a_token_or_a_session(schema):
    for path in schema["paths"].values():
        for operation in path.values():
            assert {"token": []} in operation["security"]
            assert {"cookieAuth": []} in operation["security"]


def operations(schema):
    return [operation for path in schema["paths"].values() for operation in path.values()]


def test_every_operation_has_group_summary_and_problems(schema):
    groups = {tag["name"] for tag in schema["tags"]}
    for operation in operations(schema):
        assert set(operation["tags"]) <= groups
        assert len(operation["tags"]) == 1
        assert 10 < len(operation["summary"]) < 120
        assert {"400", "401", "403", "404", "429"} <= set(operation["responses"])


@pytest.mark.django_db
def test_problems_follow_the_schema(schema, api):
    problem = Draft202012Validator(schema["components"]["schemas"]["Problem"])
    for body in (api.get("uploads/999/", 404), api.post("applications/hydro/uploads/", 400)):
        problem.validate(body)
        assert set(body) <= set(schema["components"]["schemas"]["Problem"]["properties"])


def test_examples_follow_the_schema_and_are_current(schema, conforms):
    """If an answer has changed, run `tests/api/make_examples.py` to write the examples again."""
    assert set(examples()) == {operation["operationId"] for operation in operations(schema)}
    for operation in operations(schema):
        for status, response in operation["responses"].items():
            if status < "3":
                content = response["content"]["application/json"]
                conforms(content["example"], content["schema"]["$ref"].rpartition("/")[2])
