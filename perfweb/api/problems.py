"""Errors as RFC 9457 problem documents of a common form.

`type` is stable and made for programs. `detail` is made for people: what was found, what was expected, what
to do. `errors` names fields, and `request_id` finds the request in the server's log.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation, ValidationError
from django.http import Http404, HttpRequest, JsonResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from perfweb.health.outages import Outage, outage_of
from perfweb.logs import request_id

CONTENT_TYPE = "application/problem+json"

FORM = "Expected a multipart form, as curl sends it with -F file=@NAME -F version=1.0."

Errors = list[dict[str, str]]


class TooLarge(exceptions.APIException):
    """Raised for a request with more bytes than the portal accepts."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class Unavailable(exceptions.APIException):
    """Raised if the portal cannot work for a while. Clients may try again after this status."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE

    def __init__(self, outage: Outage) -> None:
        super().__init__(f"{outage.title} {outage.advice}", outage.code)
        self.wait = outage.wait


class LengthRequired(exceptions.APIException):
    """Raised for a request body without its length."""

    status_code = HTTPStatus.LENGTH_REQUIRED
    default_code = "length_required"


class Unprocessable(exceptions.APIException):
    """Raised for a valid request that cannot be carried out; `errors` are by field."""

    status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    default_code = "unprocessable"


def document(
    request: HttpRequest, status: int, detail: str, code: str = "", errors: Errors | None = None
) -> dict[str, Any]:
    """Return the body of a problem; `code` names its type, by default derived from the status."""
    phrase = HTTPStatus(status).phrase
    body = {
        "type": f"urn:perfweb:problem:{(code or phrase.lower()).replace(' ', '_')}",
        "title": phrase,
        "status": int(status),
        "detail": detail,
        "instance": request.path,
        "request_id": request_id.current(),
    }
    return body | {"errors": errors} if errors else body


def response(request: HttpRequest, status: int, detail: str, outage: Outage | None = None) -> JsonResponse:
    """Return a problem for a request that reaches no view of the REST framework."""
    body = document(request, status, detail, outage.code if outage else "")
    headers = {"Retry-After": str(outage.wait)} if outage else {}
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE, headers=headers)


def exception_handler(problem: Exception, context: dict[str, Any]) -> Response | None:
    """Convert an exception of a view to a problem; None: it is unexpected, and the answer will be 500."""
    raised = _api_exception(problem)
    if raised is None:
        return None
    set_rollback()
    errors = list(_errors(raised.detail)) if isinstance(raised.detail, dict | list) else []
    detail = "; ".join(_sentence(error) for error in errors) or str(raised.detail)
    codes = raised.get_codes()
    code = codes if isinstance(codes, str) else raised.default_code
    request = context["request"]._request
    return Response(
        document(request, raised.status_code, detail, code, errors),
        status=raised.status_code,
        headers=_headers(raised),
        content_type=CONTENT_TYPE,
    )


def _api_exception(problem: Exception) -> exceptions.APIException | None:
    """Return the REST framework's counterpart of one of Django's exceptions, with its text."""
    if outage := outage_of(problem):
        return Unavailable(outage)
    if isinstance(problem, exceptions.UnsupportedMediaType):
        # The exception's own text names the media type, but does not say what to do.
        return exceptions.UnsupportedMediaType("", f"{problem.detail} {FORM}")
    return problem if isinstance(problem, exceptions.APIException) else _counterpart(problem)


def _counterpart(problem: Exception) -> exceptions.APIException | None:
    match problem:
        case Http404():
            return exceptions.NotFound(str(problem) or None)
        case PermissionDenied():
            return exceptions.PermissionDenied(str(problem) or None)
        case ValidationError():
            found = problem.message_dict if hasattr(problem, "error_dict") else problem.messages
            return Unprocessable(found)
        case UnreadablePostError():
            return exceptions.ParseError(
                "The connection ended before the whole body had arrived. Nothing was stored; send it again."
            )
        case SuspiciousOperation():
            return exceptions.ParseError(str(problem) or None)
    return None


def _headers(raised: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if header := getattr(raised, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if wait := getattr(raised, "wait", None):
        headers["Retry-After"] = str(int(wait))
    if location := getattr(raised, "location", None):
        headers["Location"] = location
    return headers


def _errors(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """Return the nested details of a validation as a flat list of field and message."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _errors(inner, f"{field}.{name}" if field else str(name))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _errors(inner, field)
    else:
        yield {"field": field, "message": str(detail)}


def _sentence(error: dict[str, str]) -> str:
    return f"{error['field']}: {error['message']}" if error["field"] else error["message"]
