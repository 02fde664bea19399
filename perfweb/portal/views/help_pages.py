"""How the numbers are made."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def help_pages(request: HttpRequest) -> HttpResponse:
    """One page with an anchor per subject; open to everybody, as a shared link may lead here first."""
    return render(request, "help/help.html", {"host": request.build_absolute_uri("/").rstrip("/")})
