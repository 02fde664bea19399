"""Pagination of lists by `?limit=` and `?offset=`."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request


class Pages(LimitOffsetPagination):
    """Divides lists into pages by `limit` and `offset`."""

    default_limit = 100
    max_limit = 250
    limit_query_description = f"Limit on the entries of a page, at most {max_limit}."
    offset_query_description = "Entries to skip."

    def rows(self, found: Any, request: Request) -> list[Any]:
        """Return the rows of the requested page; `links` is known afterwards."""
        return self.paginate_queryset(found, request) or []

    def links(self) -> dict[str, Any]:
        """Return the number of all rows and the addresses of the pages before and after this one."""
        return {"count": self.count, "next": self.get_next_link(), "previous": self.get_previous_link()}


class ShortPages(Pages):
    """Divides lists into shorter pages, for entries that take longer to compute."""

    default_limit = max_limit = 50


PAGE = [
    OpenApiParameter("limit", int, description=Pages.limit_query_description),
    OpenApiParameter("offset", int, description=Pages.offset_query_description),
]
