"""What a web server calls."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")

django = get_wsgi_application()

from perfweb import urls  # noqa: E402, F401 -- all pages, before the server forks its processes
from perfweb.checks import refuse_unsafe  # noqa: E402
from perfweb.http.whole_bodies import WholeBodies  # noqa: E402

application = WholeBodies(django)

refuse_unsafe()

# Whatever is loaded by now stays. Looking through it for garbage would hold up a page by a tenth of a second
# again and again; what pages leave behind is looked through, less often than is the default.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 10, 10)
