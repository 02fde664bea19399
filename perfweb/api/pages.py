"""Pagination of lists by `?limit=` and `?offset=`."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    """Divides lists into pages by `limit` and `offset`."""

    default_limit = 100
    max_limit = 250
    limit_query_description = f"Limit on the entries of a page, at most {max_limit}."
    offset_query_description = "Entries to skip."


class ShortPages(Pages):
    """Divides lists into shorter pages, for entries that take longer to compute."""

    default_limit = max_limit = 50


PAGE = [
    OpenApiParameter("limit", int, description=Pages.limit_query_description),
    OpenApiParameter("offset", int, description=Pages.offset_query_description),
]
