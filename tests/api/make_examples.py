"""Write the examples of the OpenAPI description again, from the answers of a portal with the demo's data.

Before that, make a report on the application particles on the portal's pages.

    .venv/bin/python manage.py up --demo --data FOLDER
    .venv/bin/python -m tests.api.make_examples FOLDER http://127.0.0.1:8000
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from perfweb.launcher.portal import ROOT
from tests.client import Client
from tests.launcher.portals import manage

HOST = "https://perfweb.example.org"
ENTRIES = 2
"""Number of entries that an example shows of each list."""


def answers(client: Client) -> dict[str, Any]:
    """Return an answer of every operation, by the operation's id."""
    about = client.get("/api/v1/applications/particles/")
    campaign = 1
    models = client.get(f"/api/v1/campaigns/{campaign}/models/?limit=1&evidence=true")
    kernel = models["models"][0]["kernel"]["id"]
    compared = "application=particles&before=1.0&after=1.1&limit=1"
    planned = plans(client)  # The newest version is modelled again after dependencies were sent.
    return {
        **alerts(client),
        **dependencies(client),
        "application": about,
        "campaign": client.get(f"/api/v1/campaigns/{campaign}/"),
        "comparison": client.get(f"/api/v1/comparisons/?{compared}"),
        "comparison_create": client.post("/api/v1/comparisons/?application=particles&before=1.0&after=1.4"),
        "gate": client.get("/api/v1/applications/particles/gate/?version=1.2"),
        **planned,
        "kernel_history": client.get(f"/api/v1/kernels/{kernel}/history/"),
        "models": models,
        **modelers(client, campaign),
        **reports(client),
        **uploads(client),
        "v1_applications_list": client.get("/api/v1/applications/?limit=1"),
    }


def alerts(client: Client) -> dict[str, Any]:
    """Return a page of alerts, and the answer to acknowledging one of them."""
    page = client.get("/api/v1/applications/particles/alerts/?limit=1")
    address = f"/api/v1/alerts/{page['alerts'][0]['id']}/"
    return {"alerts": page, "alert_triage": client.patch(address, {"state": "acknowledged"})}


def modelers(client: Client, campaign: int) -> dict[str, Any]:
    """Return all modelers of a campaign, and the answer to a request to compare another modeler."""
    address = f"/api/v1/campaigns/{campaign}/modelers/"
    chosen = client.patch(address, {"compared": ["regression"]})
    return {"modelers_choose": chosen, "modelers": client.get(address)}


def plans(client: Client) -> dict[str, Any]:
    """Return a proposed plan with its script, and a kept plan."""
    address = "/api/v1/applications/particles/plan/?target=p:256,n:4096"
    return {"plan": client.get(f"{address}&script=slurm"), "plan_keep": client.post(address)}


def uploads(client: Client) -> dict[str, Any]:
    """Return the answers about a previewed file when it was received, and when it has been read."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "times.jsonl"
        lines = ({"params": {"p": p}, "callpath": "main->solve", "value": [p, p + 0.5]} for p in (4, 8, 16))
        file.write_text("\n".join(map(json.dumps, lines)))
        created = client.upload("particles", "3.0", file, "?dry_run=true", campaign="nightly-0716")
    found = created
    while found["state"] in ("received", "parsing"):
        found = client.get(f"/api/v1/uploads/{created['id']}/")
    return {"upload": found, "upload_create": created}


def reports(client: Client) -> dict[str, Any]:
    """Return the list of the application's reports, and the latest report."""
    found = client.get("/api/v1/applications/particles/reports/")
    return {"report": client.get(f"/api/v1/reports/{found['reports'][0]['id']}/"), "reports": found}


def dependencies(client: Client) -> dict[str, Any]:
    """Send a file with the parameters on which functions depend. Return the answers to sending it and to
    reading it again.
    """
    address = "/api/v1/applications/particles/dependencies/"
    file = {
        "functions_mangled_names": ["_Z8exchangePdi", "_Z5sweepPdi"],
        "functions_demangled_names": ["exchange(double*, int)", "sweep(double*, int)"],
        "parameters": ["p", "n"],
        "functions": {
            "_Z8exchangePdi": {"loops": [{"instance": {"0": {"level": 0, "params": [["p"]]}}}]},
            "_Z5sweepPdi": {"loops": [{"instance": {"0": {"level": 0, "params": [["n", "p"]]}}}]},
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "app_0.json"
        path.write_text(json.dumps(file))
        stored = client.send("PUT", address, path)
    return {"dependencies": client.get(address), "dependencies_put": stored}


def shortened(value: Any) -> Any:
    """Return the body with only the first entries of its lists."""
    if isinstance(value, dict):
        return {name: shortened(inner) for name, inner in value.items()}
    return [shortened(inner) for inner in value[:ENTRIES]] if isinstance(value, list) else value


if __name__ == "__main__":
    data, address = sys.argv[1:]
    scopes = ["--scope", "upload", "--scope", "read", "--scope", "triage"]
    token = manage("create_token", "demo", "--user", "demo", *scopes, "--data", data).stdout.strip()
    text = json.dumps(shortened(answers(Client(address, token))), indent=2, ensure_ascii=False)
    (ROOT / "perfweb" / "api" / "examples.json").write_text(text.replace(address, HOST) + "\n")
