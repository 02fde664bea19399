"""All addresses: the pages, the REST interface, the probes."""

from django.urls import include, path

urlpatterns = [
    path("", include("perfweb.portal.urls")),
]
