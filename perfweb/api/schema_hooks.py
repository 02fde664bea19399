"""Adds problems, groups, summaries and examples to the OpenAPI description."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from perfweb.api.problems import CONTENT_TYPE

METHODS = ("get", "post", "put", "patch")

GROUPS = {
    "applications": "What is measured: applications with their versions, parameters, metrics and targets.",
    "uploads": "Sending measurements, and the state of what was sent.",
    "campaigns": "Stored measurements, and their models.",
    "kernels": "One kernel over all versions.",
    "comparisons": "What a version changed.",
    "alerts": "Changes that made kernels worse, and people's decisions about them.",
    "plan": "What to measure next.",
    "reports": "The numbers of a release, as they were when the report was made.",
    "dependencies": "The parameters that the functions of an application depend on.",
}

PROBLEMS = {
    "400": "A parameter or field is wrong.",
    "401": "No token, or one that has expired or was revoked.",
    "403": "The token's scope or the role of its user does not allow this.",
    "404": "It does not exist, or you may not see it.",
    "429": "Too many requests; `Retry-After` says how long to wait.",
    "503": "The database is not reachable, or the disk is full; `Retry-After` says when to try again.",
}
UPLOAD_PROBLEMS = {
    "411": "The header `Content-Length` is missing.",
    "413": "The file is larger than the portal takes.",
    "415": "The body has another content type than expected.",
    "422": "The form is well-formed, but its request cannot be fulfilled.",
}
"""Problems of operations that take a body."""

PROBLEM = {
    "type": "object",
    "description": "RFC 9457. `type` is for programs, `detail` for people.",
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
    "properties": {
        "type": {
            "type": "string",
            "format": "uri",
            "description": "stable, e.g. urn:perfweb:problem:not_found",
        },
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what was found, what was expected, what to do"},
        "instance": {"type": "string", "description": "the path of the request"},
        "request_id": {"type": "string", "description": "finds the request in the portal's log"},
        "errors": {
            "type": "array",
            "description": "by field, where fields are wrong",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}


@cache
def examples() -> dict[str, Any]:
    """Return an example answer for every operation, by its id."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("examples.json").read_text())
    return found


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Complete the finished description; this is a hook of drf-spectacular."""
    _say_null(result["components"])
    result["components"]["schemas"]["Problem"] = PROBLEM
    result["tags"] = [{"name": name, "description": about} for name, about in GROUPS.items()]
    for path, operations in result["paths"].items():
        for method in METHODS:
            if method in operations:
                _complete(path, operations[method])
    return result


def _say_null(part: Any) -> None:
    """Write nullable parts as OpenAPI 3.1 does; the framework's lists still use the keyword of 3.0."""
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _say_null(inner)
    if isinstance(part, dict) and part.get("nullable") is True:
        del part["nullable"]
        part["type"] = [part["type"], "null"]


def _complete(path: str, operation: dict[str, Any]) -> None:
    """Add group, summary, example and problems to one operation."""
    last = [part for part in path.split("/") if part in GROUPS]
    operation["tags"] = last[-1:]
    operation["summary"] = operation["description"].split(".")[0].split(";")[0].strip()
    for status, response in operation["responses"].items():
        for kind, content in response.get("content", {}).items():
            if kind == "application/json":
                content["example"] = examples()[operation["operationId"]]
        response["description"] = response["description"] or ("Found." if status == "200" else "Accepted.")
    wanted = PROBLEMS | (UPLOAD_PROBLEMS if "requestBody" in operation else {})
    for status, about in wanted.items():
        operation["responses"][status] = {
            "description": about,
            "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
