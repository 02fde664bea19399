"""All addresses: the pages, the REST interface, the probes."""

from django.urls import include, path

from perfweb.health import probes

urlpatterns = [
    path("livez", probes.livez, name="livez"),
    path("readyz", probes.readyz, name="readyz"),
    path("api/", include("perfweb.api.urls")),
    path("", include("perfweb.portal.urls")),
]

handler400 = "perfweb.api.handlers.bad_request"
handler500 = "perfweb.api.handlers.server_error"
