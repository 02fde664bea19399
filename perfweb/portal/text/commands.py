"""Shell commands to copy, which do the same as a page."""

import shlex

from django.http import HttpRequest
from django.urls import reverse


def upload_command(
    request: HttpRequest,
    *,
    application: str = "myapp",
    version: str = "1.0",
    file: str = "campaign.jsonl",
    token: str = "$PERFWEB_TOKEN",  # noqa: S107 -- a variable of the reader's shell
) -> str:
    """Return the curl command that uploads a campaign to this portal.

    It waits until the file has been read, and fails if the file or a field is refused.
    """
    address = request.build_absolute_uri(reverse("api:uploads", args=[application]))
    fields = " ".join(f"-F {shlex.quote(field)}" for field in (f"file=@{file}", f"version={version}"))
    headers = f'-H "Authorization: Bearer {token}" -H "Prefer: wait=10"'
    return f"curl --fail-with-body {headers} \\\n  {fields} \\\n  {shlex.quote(address)}"
