"""Addresses: the portal's own, and those of many pages of one kind, of which only one is resolved."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class KernelLinks:
    """The pages of kernels of one campaign; `query` goes along."""

    prefix: str
    query: str

    @classmethod
    def to(cls, campaign_id: int, query: str) -> "KernelLinks":
        """To the kernels of a campaign."""
        return cls(reverse("kernel", args=[campaign_id, 0]).removesuffix("0/"), query)

    def of(self, kernel_id: int) -> str:
        """To one kernel."""
        return f"{self.prefix}{kernel_id}/{self.query}"


def portal_address(request: HttpRequest) -> str:
    """Where the reader finds the portal, such as https://perf.example.org, for commands to copy."""
    return request.build_absolute_uri("/").rstrip("/")
