import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_every_operation_is_described(client, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        page = client.get("/help/rest/").content.decode()
    schema = Client().get("/api/schema/").json()
    for path, operations in schema["paths"].items():
        assert path in page
        for operation in operations.values():
            assert f'id="{operation["operationId"]}"' in page
            for parameter in operation.get("parameters", ()):
                assert f"<code>{parameter['name']}</code>" in page
    for name in schema["components"]["schemas"]["Upload"]["properties"]:
        assert f"<code>{name}</code>" in page
    assert "RFC 9457" in page
    assert "such as <code>My Solver 2</code>" in page  # It was shown with backquotes.
    assert "“acknowledged”" in page  # The possible states were called TriageStateEnum.
    assert "Authorization: Bearer" in page
