"""The client's command `gate` is run against a portal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from modeling.models import Comparison, ModelRun, State
from perfweb.accounts.models import Role, Scope
from perfweb.client import perfweb
from tests.api.test_gate import LAWS, Story
from tests.factories import make_campaign, make_member, make_run, make_token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story(project):
    return Story(project)


@pytest.fixture
def gate(live_server, project, monkeypatch, tmp_path):
    """Return a function that runs the command with a token of these scopes."""
    monkeypatch.setenv("PERFWEB_URL", live_server.url)
    monkeypatch.setenv("PERFWEB_SPOOL", str(tmp_path / "spool"))

    def call(*arguments: str, scopes=(Scope.READ, Scope.UPLOAD)) -> int:
        user = make_member(project, Role.CONTRIBUTOR)
        monkeypatch.setenv("PERFWEB_TOKEN", make_token(user, project, *scopes)[1])
        return perfweb.main(["gate", "--application", "hydro", "--wait", "5", *arguments])

    return call


def test_it_passes(gate, story, capsys, tmp_path):
    assert gate("--version", "1.1") == 0
    assert capsys.readouterr().out.startswith("✓ hydro 1.1 passes the gate on cluster-a, compared with 1.0\n")
    assert not (tmp_path / "spool").exists()


def test_a_failed_gate_prints_the_reason(gate, story, capsys):
    story.change("halo", "factor", 1.5)
    assert gate("--version", "1.1", "--before", "1.0") == 1
    assert "main->halo (time) is 1.5× what it was" in capsys.readouterr().out


def test_another_policy_can_be_given(gate, story):
    story.change("halo", "factor", 1.5)
    assert gate("--version", "1.1", "--policy", "any law worsened; P(total slower than 20 %) > 0.9") == 0


def test_formats(gate, story, capsys):
    assert gate("--version", "1.1", "--format", "markdown") == 0
    assert capsys.readouterr().out.startswith("### ✓ hydro 1.1 passes the gate")
    assert gate("--version", "1.1", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "passed"


def test_the_command_waits_for_models(gate, story, capsys, monkeypatch):
    ModelRun.objects.filter(pk=story.runs[1].pk).update(state=State.RUNNING)
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 2:
            ModelRun.objects.update(state=State.DONE)

    monkeypatch.setattr(perfweb.time, "sleep", sleep)
    assert gate("--version", "1.1") == 0
    assert len(pauses) == 2
    assert capsys.readouterr().err == "perfweb: 1.1 is being modelled: 3 of 3 series.\n"


def test_the_command_waits_for_a_limited_time(gate, story, capsys):
    ModelRun.objects.filter(pk=story.runs[1].pk).update(state=State.RUNNING)
    assert gate("--version", "1.1", "--wait", "0.1") == 2
    said = capsys.readouterr()
    assert said.out.startswith("? hydro 1.1 is not decided by the gate")
    assert "still undecided after 0.1 s" in said.err


def test_after_a_failed_comparison_the_gate_is_undecided(gate, story, capsys):
    Comparison.objects.update(error="The campaigns vary different parameters.")
    assert gate("--version", "1.1") == 2
    assert "vary different parameters" in capsys.readouterr().out


@pytest.fixture
def distant(story):
    """Add a version that was never compared with the first one."""
    campaign = make_campaign(story.application, "1.2")
    make_run(campaign, LAWS)
    return campaign


def test_a_missing_comparison_is_requested(gate, story, distant, monkeypatch):
    monkeypatch.setattr(perfweb.time, "sleep", lambda _: Comparison.objects.update(state=State.DONE))
    assert gate("--version", "1.2", "--before", "1.0") == 0
    assert Comparison.objects.filter(before=story.campaigns[0], after=distant).exists()


def test_requesting_a_comparison_needs_the_scope_upload(gate, story, distant, capsys):
    assert gate("--version", "1.2", "--before", "1.0", scopes=[Scope.READ]) == 4
    assert "to compare versions it also needs the scope upload" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--version", "9"], "There is no measured version “9”."),
        (["--version", "1.1", "--policy", "any law"], "found the end, expected “worsened”"),
        (["--version", "1.1", "--machine", "moon"], "There is no measured version “1.1” on “moon”."),
        (["--version", "1.1", "--before", "1.1"], "A version is compared with another one."),
        (["--application", "other", "--version", "1"], "There is no application “other”"),
    ],
)
def test_refusals_of_the_portal_are_printed(gate, story, capsys, arguments, message):
    assert gate(*arguments) == 3
    assert message in capsys.readouterr().err


def test_a_token_that_only_uploads_is_refused(gate, story, capsys):
    assert gate("--version", "1.1", scopes=[Scope.UPLOAD]) == 4
    assert "this needs the scope read" in capsys.readouterr().err


def test_an_unreachable_portal_has_its_own_exit_code(gate, story, monkeypatch):
    assert gate("--version", "1.1", "--url", "http://127.0.0.1:9", "--patience", "0") == 5


def test_a_page_of_another_server_is_no_verdict(gate, story, live_server, capsys):
    assert gate("--version", "1.1", "--url", f"{live_server.url}/help", "--patience", "0") in (3, 5)
    assert not capsys.readouterr().out


def test_without_version_and_git_the_command_fails(gate, story, tmp_path, monkeypatch):
    for name in ("CI_COMMIT_SHA", "GITHUB_SHA"):
        monkeypatch.delenv(name, raising=False)
    assert gate("--source", str(tmp_path)) == 2


def test_the_default_version_is_the_commit(gate, story, tmp_path, monkeypatch):
    monkeypatch.setenv("CI_COMMIT_SHA", "0123456789abcdef0123")
    story.application.versions.filter(label="1.1").update(label="0123456789ab")
    assert gate("--source", str(tmp_path)) == 0


def test_from_a_shell(gate, story):
    story.change("halo", "law", 1.5)
    gate("--version", "1.1")  # This call has the fixture set the environment variables.
    command = [sys.executable, "-I", "-S", str(Path(perfweb.__file__)), "gate"]
    command += ["--application", "hydro", "--version", "1.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:17]) == (1, "✗ hydro 1.1 fails")
