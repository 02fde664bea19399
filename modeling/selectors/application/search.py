"""Finds kernels, versions and applications by a part of their name."""

from collections.abc import Iterable
from dataclasses import dataclass

from ingest.models import Application, Kernel, Version
from modeling.models import Model
from perfweb.accounts.models import Project

MOST_RESULTS = 40
SHORTEST = 2


@dataclass(frozen=True)
class KernelFound:
    """A kernel and the latest campaign that modelled it, or None."""

    kernel: Kernel
    campaign_id: int | None


@dataclass(frozen=True)
class Found:
    """The matches, at most `MOST_RESULTS` of each kind."""

    applications: tuple[Application, ...]
    versions: tuple[Version, ...]
    kernels: tuple[KernelFound, ...]

    @property
    def empty(self) -> bool:
        """Return whether nothing matches."""
        return not (self.applications or self.versions or self.kernels)


def search(projects: Iterable[Project], text: str) -> Found:
    """Return everything of these projects whose name, label, commit or call path contains `text`."""
    if len(text) < SHORTEST:
        return Found((), (), ())
    applications = Application.objects.filter(project__in=list(projects)).select_related("project")
    kernels = Kernel.objects.filter(application__in=applications, path__icontains=text)
    versions = Version.objects.filter(application__in=applications).select_related("application__project")
    named = applications.filter(name__icontains=text) | applications.filter(slug__icontains=text)
    labelled = versions.filter(label__icontains=text) | versions.filter(commit__istartswith=text)
    return Found(
        tuple(named[:MOST_RESULTS]),
        tuple(labelled.order_by("-position")[:MOST_RESULTS]),
        _with_campaigns(list(kernels.select_related("application__project").order_by("path")[:MOST_RESULTS])),
    )


def _with_campaigns(kernels: list[Kernel]) -> tuple[KernelFound, ...]:
    latest = dict(
        Model.objects.filter(kernel__in=kernels)
        .order_by("kernel_id", "-run__campaign__version__position")
        .distinct("kernel_id")
        .values_list("kernel_id", "run__campaign_id")
    )
    return tuple(KernelFound(kernel, latest.get(kernel.pk)) for kernel in kernels)
