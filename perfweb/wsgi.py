"""What a web server calls."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")

application = get_wsgi_application()

from perfweb import urls  # noqa: E402, F401 -- all pages, before the server forks its processes
from perfweb.checks import refuse_unsafe  # noqa: E402

refuse_unsafe()
