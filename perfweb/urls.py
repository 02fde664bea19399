"""All addresses: the pages, the REST interface, the probes."""

from django.urls import include, path

from perfweb import health

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("api/", include("perfweb.api.urls")),
    path("", include("perfweb.portal.urls")),
]

handler400 = "perfweb.api.handlers.bad_request"
handler500 = "perfweb.api.handlers.server_error"
