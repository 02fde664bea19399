"""Stores a parsed campaign as rows, either completely or not at all."""

from collections.abc import Iterable
from dataclasses import astuple
from itertools import chain
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from ingest.bulk.write import copy_rows
from ingest.fields.described import metric_described
from ingest.formats import Campaign as ParsedCampaign
from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.collecting.aligning import aligned
from ingest.guessing.roles import parameter_role
from ingest.models import (
    PATH_SEPARATOR,
    Application,
    Campaign,
    Kernel,
    Machine,
    Metric,
    Parameter,
    RunOrigins,
    Series,
    Upload,
    Version,
)
from ingest.services import growing
from ingest.services.targets import target_follow
from perfweb.accounts.models import Project


@transaction.atomic
def campaign_store(*, upload: Upload, parsed: ParsedCampaign) -> Campaign:
    """Store the content of an upload, with its application and version if they are new.

    If the upload names a campaign, its content is added to that campaign. Values are converted into the
    units of the application's metrics.

    Raises:
        FormatError: the content does not fit the campaign's earlier content.
        Upload.DoesNotExist: the upload was deleted meanwhile.
    """
    application = _application(upload)
    Upload.objects.select_for_update().only("pk").get(pk=upload.pk)
    version = _version(application, upload)
    machine, _ = Machine.objects.get_or_create(
        project=upload.project, name=upload.machine_name or Machine.UNNAMED
    )
    parsed = aligned(parsed, growing.metric_units(application))
    known = growing.campaign_for(upload, version, machine)
    whole = growing.campaign_with(known, upload, parsed)
    campaign = known or Campaign(version=version, machine=machine, key=upload.campaign_key, revision=0)
    campaign.settles_at = timezone.now() + growing.SETTLE if campaign.key else None
    _describe(campaign, whole)
    _upload_stored(upload, campaign, parsed)
    campaign.metadata = growing.metadata_agreed(campaign)
    campaign.run_notes = growing.run_notes(campaign)
    campaign.save(update_fields=["metadata", "run_notes"])
    _hold(campaign, whole, upload.described)
    return campaign


def campaign_rewrite(*, campaign: Campaign, whole: ParsedCampaign) -> None:
    """Replace the content of a campaign after another reading. The caller has locked the application."""
    campaign.settles_at = None
    _describe(campaign, whole)
    campaign.run_notes = growing.run_notes(campaign)
    campaign.save(update_fields=["run_notes"])
    _hold(campaign, whole, {})


def _hold(campaign: Campaign, whole: ParsedCampaign, described: dict[str, Any]) -> None:
    """Write parameters, values and target of a campaign."""
    application = campaign.version.application
    whole = aligned(whole, growing.metric_units(application))
    _parameters(application, whole, described)
    _series_store(campaign, whole, described)
    if campaign.settles_at is None:
        target_follow(application)


def _describe(campaign: Campaign, whole: ParsedCampaign) -> None:
    """Write the campaign's description of its content."""
    campaign.parameters = list(whole.parameters)
    campaign.points = whole.points.tolist()
    campaign.kernel_count = len({kernel for kernel, _ in whole.series})
    campaign.value_count = sum(int(np.isfinite(values).sum()) for values in whole.series.values())
    campaign.repetitions = max(values.shape[1] for values in whole.series.values())
    campaign.revision += 1
    campaign.save()


def _upload_stored(upload: Upload, campaign: Campaign, parsed: ParsedCampaign) -> None:
    """Mark the upload as stored. The sender's metadata take precedence over the file's."""
    upload.state = Upload.State.COLLECTING if campaign.key else Upload.State.STORED
    upload.progress, upload.notes, upload.format = 0.0, [*upload.notes, *parsed.notes], parsed.format
    upload.cause = ""
    upload.metadata = {**parsed.metadata, **upload.metadata}
    upload.campaign, upload.runs = campaign, list(parsed.runs)
    upload.save(
        update_fields=["state", "progress", "notes", "format", "metadata", "campaign", "runs", "cause"]
    )


def _series_store(campaign: Campaign, whole: ParsedCampaign, described: dict[str, Any]) -> None:
    """Replace the stored values of the campaign."""
    application = campaign.version.application
    known = _metrics(application, whole, described)
    kernels = kernels_store(application, {kernel for kernel, _ in whole.series})
    _origins_store(campaign, whole)
    campaign.series.all().delete()
    copy_rows(
        Series,
        ["campaign", "kernel", "metric", "repetitions", "values", "rounds"],
        (
            [
                campaign.pk,
                kernels[kernel],
                known[metric],
                values.shape[1],
                values.ravel(),
                _flat(whole.rounds.get((kernel, metric))),
            ]
            for (kernel, metric), values in whole.series.items()
        ),
    )


def _origins_store(campaign: Campaign, whole: ParsedCampaign) -> None:
    """Replace the stored origins of the campaign's runs."""
    RunOrigins.objects.filter(campaign=campaign).delete()
    if whole.origins is not None and whole.origins.labels.size:
        RunOrigins.objects.create(
            campaign=campaign,
            known=[astuple(origin) for origin in whole.origins.known],
            width=whole.origins.labels.shape[1],
            labels=whole.origins.labels.ravel().tolist(),
        )


def _flat(table: FloatArray | None) -> FloatArray | None:
    return None if table is None else table.ravel()


def _application(upload: Upload) -> Application:
    """Return the application, locked, so that its uploads are stored one after the other."""
    slug = upload.application_slug
    name = upload.described.get("application", slug)
    application_ensure(upload.project, slug, name)
    return Application.objects.select_for_update().get(project=upload.project, slug=slug)


def application_ensure(project: Project, slug: str, name: str) -> Application:
    """Return the application at an address. A new one is stored under this name."""
    found, _ = Application.objects.get_or_create(project=project, slug=slug, defaults={"name": name})
    return found


def _parameters(application: Application, parsed: ParsedCampaign, described: dict[str, Any]) -> None:
    roles, units = described.get("roles", {}), described.get("units", {})
    campaigns = Campaign.objects.filter(version__application=application)
    used = set(chain.from_iterable(campaigns.values_list("parameters", flat=True)))
    # parameters that only an earlier reading of the file had
    application.parameters.exclude(name__in=used).delete()
    last = application.parameters.aggregate(last=Max("position"))["last"]
    for position, name in enumerate(parsed.parameters, 0 if last is None else last + 1):
        role = roles.get(name) or parameter_role(name)
        Parameter.objects.get_or_create(
            application=application,
            name=name,
            defaults={"role": role, "unit": units.get(name, ""), "position": position},
        )


def _metrics(application: Application, parsed: ParsedCampaign, described: dict[str, Any]) -> dict[str, int]:
    """Return the ids of the metrics by name, creating new metrics."""
    found = {}
    for name in dict.fromkeys(metric for _, metric in parsed.series):
        about = metric_described(name, parsed, described)
        metric, _ = Metric.objects.get_or_create(application=application, name=name, defaults=about)
        found[name] = metric.pk
    return found


def kernels_store(application: Application, paths: Iterable[str]) -> dict[str, int]:
    """Return the ids of kernels and all their callers by path, creating new kernels."""
    levels: dict[int, set[str]] = {}
    for path in paths:
        parts = path.split(PATH_SEPARATOR)
        for depth in range(1, len(parts) + 1):
            levels.setdefault(depth, set()).add(PATH_SEPARATOR.join(parts[:depth]))
    ids: dict[str, int] = {}
    for depth in sorted(levels):
        wanted = sorted(levels[depth])
        known = Kernel.objects.filter(application=application, path__in=wanted)
        ids |= dict(known.values_list("path", "pk"))
        new = [
            Kernel(application=application, path=path, parent_id=ids.get(path.rpartition(PATH_SEPARATOR)[0]))
            for path in wanted
            if path not in ids
        ]
        ids |= {kernel.path: kernel.pk for kernel in Kernel.objects.bulk_create(new, batch_size=5000)}
    return ids


def _version(application: Application, upload: Upload) -> Version:
    """Return the version. A new one is placed in the history by its date; without one, at the end."""
    known = application.versions.filter(label=upload.version_label).first()
    if known:
        return known
    later = Q(committed_at__gt=upload.committed_at) if upload.committed_at else Q(pk=None)
    after = application.versions.filter(later).order_by("position").first()
    if after:
        position = after.position
        application.versions.filter(position__gte=position).update(position=F("position") + 1)
    else:
        last = application.versions.aggregate(last=Max("position"))["last"]
        position = 0 if last is None else last + 1
    return Version.objects.create(
        application=application,
        label=upload.version_label,
        commit=upload.commit,
        branch=upload.branch,
        committed_at=upload.committed_at,
        position=position,
    )
