"""Absolute addresses in answers, which scripts follow instead of building addresses."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import get_attribute


@extend_schema_field(OpenApiTypes.URI)
class Link(serializers.Field[Any, Any, str | None, Any]):
    """The address of a view whose arguments are attributes of the object.

    `Link("api:campaign", pk="campaign_id")`; `query` adds parameters of the query in the same way. The
    address is null if an argument is None.
    """

    def __init__(
        self, view: str, *, query: dict[str, str] | None = None, allow_null: bool = False, **arguments: str
    ) -> None:
        super().__init__(read_only=True, source="*", allow_null=allow_null)
        self.view, self.arguments, self.query = view, arguments, query or {}

    def to_representation(self, value: object) -> str | None:
        """Return the address for one object."""
        arguments = {name: _read(value, path) for name, path in self.arguments.items()}
        if None in arguments.values():
            return None
        # Django's own function: that of the REST framework would copy ?format= of the request into the
        # address.
        address = self.context["request"].build_absolute_uri(reverse(self.view, kwargs=arguments))
        query = urlencode({name: _read(value, path) for name, path in self.query.items()})
        return f"{address}?{query}" if query else address


def _read(value: object, path: str) -> Any:
    """Return an attribute by its dotted path; a part may also be a key of a dictionary."""
    return get_attribute(value, path.split("."))
