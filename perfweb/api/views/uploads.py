"""Receives campaigns, and shows the state of their processing."""

import re
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.fields.names import slug_of, text_wrong
from ingest.formats.campaign.units import bytes_text
from ingest.models import Upload
from ingest.services import upload_receive
from modeling.selectors.run.failures import outcome_of
from perfweb.accounts.models import Project, Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.api.access import projects_of, token_of
from perfweb.api.choices import flag_read
from perfweb.api.problems import LengthRequired, TooLarge
from perfweb.api.serializers.uploads import UploadRequestSerializer, UploadSerializer
from perfweb.api.throttles import Uploads
from perfweb.api.views.base import ApiView
from perfweb.api.waiting import LONGEST_WAIT, wait_until_read

FORM_BYTES = 1_000_000
"""Limit on the bytes of a form besides its file."""

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Any text of up to 255 characters. Send the same text if you send the same upload again. "
    "If an upload failed, its text may be used for another one.",
)

APPLICATION = OpenApiParameter(
    "slug",
    str,
    OpenApiParameter.PATH,
    description="Slug of the application, or any name: `My Solver 2` is stored as `my-solver-2`, and `notes` "
    "says so. A name is refused with 422 if it is too long or has neither letters nor digits.",
)

PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="With `wait=10` the answer comes when the file has been read, or after 10 seconds (at most "
    f"{LONGEST_WAIT}). A file that cannot be read is then refused with 422.",
)

DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    description="If true, the file is only read: the upload ends in the state `read`, and its `diagnosis` "
    "describes the content of the file. You can then store the upload on its page; otherwise it is deleted "
    "after a day.",
)


class UploadCreate(ApiView):
    """The address to which campaigns are sent."""

    scopes = (Scope.UPLOAD,)
    throttle_classes = (Uploads,)
    parser_classes = (MultiPartParser,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the length before anything reads the body."""
        if request.method == "POST":
            length_check(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="upload_create",
        parameters=[APPLICATION, IDEMPOTENCY_KEY, PREFER, DRY_RUN],
        request={"multipart/form-data": UploadRequestSerializer},
        responses={
            202: OpenApiResponse(
                UploadSerializer, "Received; `Location` is the address of the upload's state."
            )
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Receive a campaign; it is read, stored and modelled afterwards.

        Errors in the file are found when it is read: request `url` until the upload is finished, or wait for
        the result with `Prefer`.

        A repeated request stores nothing; it gets the answer of the first one. A request is a repetition if
        its `Idempotency-Key` is the same, or its bytes, application, version, machine, campaign, run, options
        and point. If the first upload failed, the request is treated as new.
        """
        form = UploadRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        fields: dict[str, Any] = form.validated_data
        project = project_named(request, fields.pop("project"))
        if not fields["create"] and not project.applications.filter(slug=slug_of(slug)).exists():
            raise Http404(f"{project} has no application “{slug}”, and `create=false` forbids making it.")
        upload = upload_receive(
            project=project,
            application=slug,
            user=reader(request),
            token=token_of(request),
            idempotency_key=_idempotency_key(request),
            dry_run=flag_read(request, "dry_run"),
            **fields,
        )
        wait_until_read(request, upload.pk)
        body = _body(request, Upload.objects.all(), upload.pk)
        return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": body["url"]})


class UploadDetail(ApiView):
    """One upload. A token with only the scope `upload` sees only the uploads of its user."""

    scopes = (Scope.READ, Scope.UPLOAD)

    @extend_schema(operation_id="upload", responses=UploadSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the state of an upload; ask again until `state` is done or failed."""
        return Response(_body(request, _visible(request), pk))


def length_check(request: Request, limit: int | None = None) -> None:
    """Refuse a body that is too long or does not state its length (TooLarge, LengthRequired), unread."""
    text = request.headers.get("Content-Length", "")
    if not re.fullmatch("[0-9]{1,18}", text):
        raise LengthRequired("Send the header Content-Length: the portal refuses a body of unknown length.")
    limit = limit or settings.UPLOAD_BYTES
    if int(text) > limit + FORM_BYTES:
        found, most = bytes_text(int(text)), bytes_text(limit)
        raise TooLarge(f"Found a body of {found}, expected a file of at most {most}.")


def project_named(request: Request, slug: str) -> Project:
    """Return the token's project; without a token the named project, or the only one of the user.

    Raises:
        Http404: the caller is no member of the project.
        RoleRequired: the caller may only read in the project.
        ValidationError: several projects are possible.
    """
    projects = projects_of(request)
    found = list((projects.filter(slug=slug) if slug else projects)[:2])
    if len(found) > 1:
        raise ValidationError({"project": ["You belong to several projects; name one of them."]})
    if not found:
        raise Http404(f"There is no project “{slug}” that you may see.")
    role_require(reader(request), found[0], Role.CONTRIBUTOR)
    return found[0]


def _idempotency_key(request: Request) -> str:
    key: str = request.headers.get("Idempotency-Key", "")
    if wrong := text_wrong(key, 255):
        raise ValidationError({"Idempotency-Key": [wrong]})
    return key


def _body(request: Request, uploads: QuerySet[Upload], pk: int) -> dict[str, Any]:
    """Return the body of the answer, which is the same for a POST and for every later GET."""
    upload = uploads.select_related("project").annotate(campaign_pk=F("campaign_id")).filter(pk=pk).first()
    if upload is None:
        raise Http404(f"There is no upload {pk} that you may see.")
    done = upload.state == Upload.State.DONE
    upload.failures = outcome_of(upload.campaign_id if done else None).failures  # type: ignore[attr-defined]
    return UploadSerializer(upload, context={"request": request}).data


def _visible(request: Request) -> QuerySet[Upload]:
    rows = Upload.objects.in_projects(projects_of(request))
    token = token_of(request)
    if token and Scope.READ not in token.scopes:
        rows = rows.filter(user=token.user)
    return rows
