"""Builds the portal's address, and the addresses of all kernels' pages from one resolved address."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class KernelLinks:
    """Addresses of the pages of one campaign's kernels; `query` is appended."""

    prefix: str
    query: str

    @classmethod
    def to(cls, campaign_id: int, query: str) -> "KernelLinks":
        """Return the addresses for the kernels of a campaign."""
        return cls(reverse("kernel", args=[campaign_id, 0]).removesuffix("0/"), query)

    @classmethod
    def to_each(cls, campaigns: Iterable[int], query: str) -> "list[KernelLinks]":
        """Return the addresses for the kernels of several campaigns, from one resolved address."""
        before, between, _ = reverse("kernel", args=[0, 0]).rsplit("0", 2)
        return [cls(f"{before}{campaign}{between}", query) for campaign in campaigns]

    def of(self, kernel_id: int) -> str:
        """Return the address of one kernel's page."""
        return f"{self.prefix}{kernel_id}/{self.query}"


def portal_address(request: HttpRequest) -> str:
    """Return the address of the portal, such as https://perf.example.org, for commands to copy."""
    return request.build_absolute_uri("/").rstrip("/")
