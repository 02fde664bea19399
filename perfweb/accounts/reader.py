"""The user who makes a request."""

from typing import Protocol

from django.contrib.auth.models import AnonymousUser

from perfweb.accounts.models import User


class Asked(Protocol):
    """A request for a page or to the REST interface."""

    @property
    def user(self) -> User | AnonymousUser:
        """Return who asks."""


def reader(request: Asked) -> User:
    """Return the user who signed in, for views that refuse anonymous requests."""
    if isinstance(request.user, AnonymousUser):
        raise TypeError("This view lets anonymous requests in.")
    return request.user
