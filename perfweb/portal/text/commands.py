"""Commands to copy, for shells, job scripts and pipelines, with the reader's own address and application."""

import shlex
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from modeling.scripts import Job, script_text
from modeling.scripts.jobs import runs_of

RANKS = (4, 8, 16, 32, 64)
"""Numbers of processes of the runs in the example of a job array."""


@dataclass(frozen=True)
class Snippet:
    """A way to measure and upload; `text` contains the placeholders @address@ and @application@."""

    key: str
    title: str
    about: str
    text: str

    def filled(self, address: str, application: str) -> "Snippet":
        """Return the snippet for this portal and application."""
        text = self.text.replace("@address@", address).replace("@application@", application)
        return Snippet(self.key, self.title, self.about, text.strip("\n"))


GET = """
curl -fsSO @address@/client/perfweb.py
umask 077; read -rsp 'Token: ' token; echo "$token" > ~/.perfweb-token
export PERFWEB_TOKEN="$(cat ~/.perfweb-token)"
"""

SEND = """
python3 perfweb.py upload times.jsonl --application @application@ --version 1.0 --wait 300
"""

REFRAME = """
logs=$(mktemp -d)
reframe -c checks/ -r --performance-report --perflogdir="$logs"
find "$logs" -name '*.log' -exec python3 perfweb.py upload --application @application@ \\
  --campaign "reframe-$(date +%F)" {} +
"""

JUBE = """
jube run scaling.xml
jube result bench_run --id last > result.csv   # <table ... style="csv"> in scaling.xml
python3 perfweb.py upload result.csv --application @application@
"""

SCOREP = """
for p in 4 8 16 32 64; do
  for r in 1 2 3; do
    SCOREP_EXPERIMENT_DIRECTORY="@application@.p$p.r$r" srun --ntasks="$p" ./@application@
  done
done
tar cf profiles.tar @application@.p*/profile.cubex   # the names tell parameters and repetitions
python3 perfweb.py upload profiles.tar --application @application@
"""

CALIPER = """
for p in 4 8 16 32 64; do
  CALI_CONFIG="spot(output=run-$p.cali)" srun --ntasks="$p" ./@application@
done
tar cf runs.tar run-*.cali   # what differs between the runs' Adiak metadata becomes a parameter
python3 perfweb.py upload runs.tar --application @application@
"""

GITLAB = """
scaling:
  # PERFWEB_TOKEN: Settings, CI/CD, Variables; masked and protected
  script:
    - ./measure.sh > times.jsonl
    - curl -fsSO @address@/client/perfweb.py
    - python3 perfweb.py upload times.jsonl --application @application@ --wait 600
  artifacts:
    when: always
    paths: [times.jsonl]
"""

GITHUB = """
name: scaling
on: [push]
jobs:
  scaling:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - run: ./measure.sh > times.jsonl
      - name: Send to perfweb
        env:
          PERFWEB_TOKEN: ${{ secrets.PERFWEB_TOKEN }}
        run: |
          curl -fsSO @address@/client/perfweb.py
          python3 perfweb.py upload times.jsonl --application @application@ --wait 600
"""

FIRST = (
    Snippet("get", "Once: the client and the token", "This file is all that has to be installed.", GET),
    Snippet(
        "send", "Try it", "The file is sent, read and modelled; the last line is the upload's page.", SEND
    ),
)

SNIPPETS = (
    Snippet("reframe", "ReFrame", "It sends only the performance logs of this session.", REFRAME),
    Snippet("jube", "JUBE", "The result table as CSV.", JUBE),
    Snippet("scorep", "Score-P", "Profiles of all runs in one archive.", SCOREP),
    Snippet("caliper", "Caliper", "Profiles of all runs in one archive.", CALIPER),
    Snippet("gitlab", "GitLab CI", "Commit, branch and date come from the checkout.", GITLAB),
    Snippet("github", "GitHub Actions", "Use a self-hosted runner, whose timings can be trusted.", GITHUB),
)  # fmt: skip


def snippets(address: str, application: str) -> list[Snippet]:
    """Return the ways to measure and upload from jobs and pipelines, for this portal and application."""
    return [
        job_array(address, application),
        *(snippet.filled(address, application) for snippet in SNIPPETS),
    ]


def job_array(address: str, application: str) -> Snippet:
    """Return a job array for Slurm: the script of a plan with one run at each number of processes."""
    job = Job(
        title=f"Scaling of {application}",
        application=application,
        version="1.0",
        campaign="scaling",
        portal=address,
        parameters=("p",),
        runs=runs_of([(p,) for p in RANKS], [1] * len(RANKS)),
        processes="p",
    )
    about = (
        "A job array with one run for each task. All runs are one campaign, which is modelled after the last "
        "run has arrived. If compute nodes have no network, add --offline to the upload, and run python3 "
        "perfweb.py flush on a login node afterwards."
    )
    return Snippet("sbatch", "Slurm", about, script_text("slurm", job))


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
    lines = (
        "curl --fail-with-body",
        f'-H "Authorization: Bearer {token}"',
        '-H "Prefer: wait=10"',
        fields,
        shlex.quote(address),
    )
    return " \\\n  ".join(lines)
