"""Pagination of lists by `?limit=` and `?offset=`."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    """Divides lists into pages by `limit` and `offset`."""

    default_limit = 100
    max_limit = 250


class ShortPages(Pages):
    """Divides lists into shorter pages, for entries that take longer to compute."""

    default_limit = max_limit = 50


PAGE = [
    OpenApiParameter("limit", int, description=f"Limit on the entries of a page, at most {Pages.max_limit}."),
    OpenApiParameter("offset", int, description="Entries to skip."),
]
