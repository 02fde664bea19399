from drf_spectacular.validation import validate_schema

from tests.api.test_matrix import get_patterns


def test_it_is_openapi(schema):
    validate_schema(schema)
    assert schema["openapi"].startswith("3.1")


def test_it_has_every_address(schema):
    names = {"api:schema", "api:nothing"}
    addresses = {
        "/api/" + str(pattern.pattern).replace("<slug:slug>", "{slug}").replace("<int:pk>", "{id}")
        for pattern in get_patterns()
        if pattern.full_name.startswith("api:") and pattern.full_name not in names
    }
    assert {path.replace("{pk}", "{id}") for path in schema["paths"]} == addresses


def test_uploads_say_what_they_take(schema):
    operation = schema["paths"]["/api/v1/applications/{slug}/uploads/"]["post"]
    form = operation["requestBody"]["content"]["multipart/form-data"]["schema"]["$ref"].rpartition("/")[2]
    fields = schema["components"]["schemas"][form]
    assert set(fields["required"]) == {"file", "version"}
    assert fields["properties"]["file"]["format"] == "binary"
    assert {parameter["name"] for parameter in operation["parameters"]} == {
        "Idempotency-Key",
        "dry_run",
        "slug",
    }
    assert set(operation["responses"]) == {"202"}


def test_every_operation_takes_a_token_or_a_session(schema):
    for path in schema["paths"].values():
        for operation in path.values():
            assert {"token": []} in operation["security"]
            assert {"cookieAuth": []} in operation["security"]
