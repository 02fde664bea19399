"""The curl commands that pages show are run exactly as a user copies them."""

import html
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from perfweb.accounts.models import Role
from tests.factories import make_member, make_project, make_token

pytestmark = pytest.mark.django_db(transaction=True)

LINES = "".join(f'{{"params": {{"p": {p}}}, "value": [{p}, {p + 0.5}]}}\n' for p in (4, 8, 16, 32, 64))
WRONG = LINES.replace('"p": 16', '"q": 16')


def run(command: str, live_server: Any, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = command.replace("http://testserver", live_server.url)
    paths = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        ["bash", "-c", command],
        check=False,
        cwd=folder,
        env=paths | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def commands(client: Client) -> dict[str, str]:
    """Return the command of each page, and the token with which it is run."""
    project = make_project("storm")
    user = make_member(project, Role.OWNER)
    client.force_login(user)
    _, token = make_token(user, project, "upload")
    fields = {"name": "n", "scopes": ["upload"], "lasts": "30"}
    made = client.post("/projects/storm/tokens/", fields).context["command"]
    page = client.get("/help/upload/").content.decode()
    found = re.search(r'id="curl"><code>(.*?)</code>', page, re.DOTALL)
    assert found
    return {
        "token": token,
        "tokens": made,
        "upload": client.get("/upload/").context["command"],
        "help": html.unescape(found[1]).replace("timings.jsonl", "campaign.jsonl"),
    }


@pytest.mark.parametrize("page", ["tokens", "upload", "help"])
def test_curl_fails_for_a_wrong_file(commands, worker, live_server, tmp_path, page):
    command, token = commands[page], commands["token"]
    (tmp_path / "campaign.jsonl").write_text(WRONG)
    refused = run(command, live_server, tmp_path, PERFWEB_TOKEN=token)
    assert refused.returncode == 22, refused.stderr
    assert "line 3" in refused.stdout
    (tmp_path / "campaign.jsonl").write_text(LINES)
    taken = run(command, live_server, tmp_path, PERFWEB_TOKEN=token)
    assert taken.returncode == 0, taken.stdout + taken.stderr
    assert '"error":null' in taken.stdout
