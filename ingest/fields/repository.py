"""Checks the address of an application's repository."""

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

LONGEST_ADDRESS = 200

_valid = URLValidator(schemes=["https"])


def repository_cleaned(text: str) -> str:
    """Return the address without spaces around it, and without `.git` and `/` at its end.

    Raises:
        ValidationError: the text is no https address of a repository.
    """
    address = text.strip().removesuffix("/").removesuffix(".git")
    if not address:
        return ""
    found = f"Found “{text[:80]}”, expected an address such as https://github.com/team/solver"
    if len(address) > LONGEST_ADDRESS:
        raise ValidationError(f"{found} of at most {LONGEST_ADDRESS} characters.")
    try:
        _valid(address)
        parts = urlsplit(address)
    except (ValidationError, ValueError):
        raise ValidationError(f"{found}.") from None
    if parts.username or parts.password or parts.query or parts.fragment or len(parts.path) < 2:
        raise ValidationError(f"{found}, without a name, a password, ? and #.")
    return address
