"""Makes users for the commands."""

import secrets

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from perfweb.accounts.models import User


def user_create(username: str, password: str | None = None) -> tuple[User, str]:
    """Create a user; return it with its password, which is generated unless given.

    Raise CommandError if there is such a user, or if the name or the password is refused.
    """
    user = User(username=username)
    password = password or secrets.token_urlsafe(12)
    try:
        user.full_clean(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    user.set_password(password)
    user.save()
    return user, password
