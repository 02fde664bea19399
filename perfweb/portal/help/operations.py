"""Builds the page of the REST interface from the OpenAPI description that programs get."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "put", "patch")


@dataclass(frozen=True)
class Field:
    """A parameter of an operation, or a field of its form or of its answer."""

    name: str
    place: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True)
class Operation:
    """An operation of the REST interface: one HTTP method at one address."""

    key: str
    method: str
    path: str
    group: str
    summary: str
    about: str
    fields: tuple[Field, ...]
    answer: tuple[Field, ...]
    problems: tuple[tuple[str, str], ...]
    status: str
    example: str


@cache
def groups() -> list[tuple[str, str, list[Operation]]]:
    """Return every group with its operations; the description changes only with the program."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    found = [
        _operation(schema, path, method, operations[method])
        for path, operations in schema["paths"].items()
        for method in METHODS
        if method in operations
    ]
    return [
        (tag["name"], tag["description"], [each for each in found if each.group == tag["name"]])
        for tag in schema["tags"]
    ]


def _operation(schema: dict[str, Any], path: str, method: str, described: dict[str, Any]) -> Operation:
    status, answer = next(
        (code, body) for code, body in described["responses"].items() if code.startswith("2")
    )
    content = next(iter(answer["content"].values()))
    contents: dict[str, Any] = described.get("requestBody", {}).get("content", {})
    form = next((body["schema"] for body in contents.values()), None)
    place = "body" if "application/json" in contents else "form"
    parameters = tuple(
        Field(
            each["name"],
            each["in"],
            _kind(schema, each["schema"]),
            each.get("required", False),
            each.get("description", ""),
        )
        for each in described.get("parameters", ())
    )
    return Operation(
        key=described["operationId"],
        method=method.upper(),
        path=path,
        group=described["tags"][0],
        summary=described["summary"],
        about=described["description"].removeprefix(f"{described['summary']}.").strip(),
        fields=parameters + (_fields(schema, form, place) if form else ()),
        answer=_fields(schema, content["schema"], ""),
        problems=tuple(
            (code, body["description"]) for code, body in described["responses"].items() if code >= "4"
        ),
        status=status,
        example=json.dumps(content["example"], indent=2, ensure_ascii=False),
    )


def _fields(schema: dict[str, Any], kind: dict[str, Any], place: str) -> tuple[Field, ...]:
    component = schema["components"]["schemas"][kind["$ref"].rpartition("/")[2]]
    required = component.get("required", ())
    return tuple(
        Field(name, place, _kind(schema, each), name in required, each.get("description", ""))
        for name, each in component["properties"].items()
    )


def _kind(schema: dict[str, Any], described: dict[str, Any]) -> str:
    """Return a type in one or two words, or the values that are possible."""
    if "$ref" in described:
        name = str(described["$ref"]).rpartition("/")[2]
        values = schema["components"]["schemas"][name].get("enum")
        return ", ".join(f"“{value}”" for value in values) if values else name
    for several in ("oneOf", "anyOf", "allOf"):
        if several in described:
            return " or ".join(dict.fromkeys(_kind(schema, each) for each in described[several]))
    if described.get("type") == "array":
        return f"list of {_kind(schema, described['items'])}"
    kinds = described.get("type", "any")
    kind = kinds if isinstance(kinds, str) else " or ".join(kinds)
    return f"{kind} ({described['format']})" if "format" in described else kind
