"""Stores and models campaigns through the real services, for tests of the steps after modeling."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from django.core.files.base import ContentFile

from ingest.models import Campaign, Upload
from ingest.services import upload_ingest, upload_receive
from modeling.models import ModelRun
from modeling.tasks import run_execute
from perfweb.accounts.models import Project

Law = Callable[[float], float]
PROCESSES = (4, 8, 16, 32, 64)


def store(
    project: Project,
    version: str,
    laws: dict[str, Law],
    processes: tuple[int, ...] = PROCESSES,
    *,
    noise: float = 0.01,
    missing: frozenset[tuple[str, int]] = frozenset(),
    metrics: tuple[str, ...] = ("time",),
) -> Campaign:
    """Upload and store a campaign whose kernels follow these laws, with three repetitions at each point."""
    random = np.random.default_rng(len(version) + len(processes))
    rows = [
        {
            "params": {"p": p},
            "callpath": kernel,
            "metric": metric,
            "value": (law(p) * random.uniform(1 - noise / 2, 1 + noise / 2, 3)).tolist(),
        }
        for kernel, law in laws.items()
        for p in processes
        if (kernel, p) not in missing
        for metric in metrics
    ]
    content = ContentFile("\n".join(map(json.dumps, rows)).encode(), name=f"{version}.jsonl")
    upload = upload_receive(project=project, application="hydro", version=version, file=content, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    return Campaign.objects.get(uploads=upload)


def modelled(project: Project, version: str, laws: dict[str, Law], *where: Any, **how: Any) -> Campaign:
    """Store such a campaign, and model it."""
    campaign = store(project, version, laws, *where, **how)
    model(campaign)
    return campaign


def model(campaign: Campaign) -> ModelRun:
    """Model a campaign, and return its run."""
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run.pk)
    run.refresh_from_db()
    return run
