"""System checks that refuse unsafe settings in production."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured


@register(Tags.security, deploy=True)
def secret_is_set(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[CheckMessage]:
    """Check that there is a secret, because it signs the sessions."""
    if settings.SECRET_KEY != settings.NO_SECRET and len(settings.SECRET_KEY) >= 32:
        return []
    return [
        Error(
            "There is no secret, or it has fewer than 32 characters.",
            hint="Set PERFWEB_SECRET_KEY to the output of: "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(48))'. "
            "`manage.py up` makes one in its data folder.",
            id="perfweb.E001",
        )
    ]


def refuse_unsafe() -> None:
    """Raise the errors of these checks as ImproperlyConfigured; the web server runs no checks by itself."""
    if errors := secret_is_set(None):
        raise ImproperlyConfigured("\n".join(str(error) for error in errors))
