"""A plan is made, its script measures the demo application, and the uploads tick off the plan's runs."""

import os
import subprocess
import sys
import time
from pathlib import Path

from ingest.models import Kernel
from modeling.models import Plan
from modeling.selectors.plans.progress import plan_progress
from perfweb.accounts.models import Role, Scope
from perfweb.client import perfweb
from perfweb.launcher.portal import ROOT
from tests.factories import make_member, make_project, make_token

CLIENT = Path(perfweb.__file__)

MEASURE = """
import json
import sys

import numpy as np

from perfweb.demo.application.simulation import Simulation
from perfweb.demo.application.versions import VERSIONS

p, n = (int(text) for text in sys.argv[1:])
measured = Simulation(VERSIONS[0], p, n, np.random.default_rng(p + n)).measure(steps=1)
for path, seconds in measured.time.items():
    print(json.dumps({"params": {"p": p, "n": n}, "callpath": path, "metric": "time", "value": seconds}))
"""
COMMAND = 'python measure.py "$p" "$n" > "$output"'


def test_the_script_of_a_plan_measures_and_its_runs_are_counted(live_server, worker, tmp_path):
    project = make_project("storm")
    _, token = make_token(make_member(project, Role.OWNER), project, Scope.READ, Scope.UPLOAD)
    (tmp_path / "measure.py").write_text(MEASURE)
    (tmp_path / "python").symlink_to(sys.executable)
    environment = os.environ | {
        "PERFWEB_URL": live_server.url, "PERFWEB_TOKEN": token, "PERFWEB_SPOOL": str(tmp_path / "spool"),
        "PERFWEB_CLIENT": str(CLIENT), "PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PERFWEB_MACHINE": "vm",
    }  # fmt: skip

    def shell(script: str) -> str:
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shell(
        "for p in 2 4 8 16; do for n in 256 512 768; do python measure.py $p $n; done; done > first.jsonl\n"
        f"python {CLIENT} upload first.jsonl --application particles --version 1.0 --no-git --wait 120"
    )
    asked = f"python {CLIENT} plan --application particles --target p:64,n:1024"
    told = shell(asked)
    assert "Interval at the target" in told
    kernel = Kernel.objects.order_by("pk").first()
    assert "no such kernel" in shell(f"{asked} --kernel 999999 2>&1")
    assert shell(f"{asked} --kernel {kernel.pk} 2>&1") not in ("", told)
    script = shell(f"{asked} --values p=2,4,8,16,32 --runs 2 --script shell --keep --command '{COMMAND}'")
    plan = Plan.objects.get()
    assert plan_progress(plan).arrived == 0
    (tmp_path / "plan.sh").write_text(script)
    shell("bash plan.sh")
    end = time.monotonic() + 60
    while not (progress := plan_progress(plan)).complete and time.monotonic() < end:
        time.sleep(0.1)
    assert progress.complete
    assert progress.arrived == plan.runs
    assert set(project.uploads.values_list("campaign_key", flat=True)) == {"", f"plan-{plan.pk}"}
