"""Builds the portal's address, and the addresses of all kernels' pages from one resolved address."""

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

    def of(self, kernel_id: int) -> str:
        """Return the address of one kernel's page."""
        return f"{self.prefix}{kernel_id}/{self.query}"


def portal_address(request: HttpRequest) -> str:
    """Return the address of the portal, such as https://perf.example.org, for commands to copy."""
    return request.build_absolute_uri("/").rstrip("/")
