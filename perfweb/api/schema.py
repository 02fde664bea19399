"""Extensions for drf-spectacular, which cannot derive these parts of the schema from the views."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.views import SpectacularJSONAPIView


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes bearer tokens; drf-spectacular finds every subclass by itself."""

    target_class = "perfweb.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """Return the scheme's entry in the schema."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A project's token, made on its tokens page or by `manage.py create_token`.",
        }


class Schema(SpectacularJSONAPIView):
    """The OpenAPI document; it contains no secrets and is open to all."""

    authentication_classes = ()
