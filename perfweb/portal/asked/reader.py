"""The user who makes a request."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from perfweb.accounts.models import User


def reader(request: HttpRequest) -> User:
    """Return the user who signed in, for views behind `login_required`."""
    if isinstance(request.user, AnonymousUser):
        raise TypeError("This page lets anonymous readers in.")
    return request.user
