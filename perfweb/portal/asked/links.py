"""Addresses of many pages of one kind: one is resolved, the others differ in their number."""

from dataclasses import dataclass

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
