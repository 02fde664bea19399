"""The WSGI application that web servers call."""

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

# All objects loaded so far stay in memory. Searching them for garbage would repeatedly delay a page by a
# tenth of a second, so the collector ignores them. It searches the newest objects at about every page, which
# takes up to 2.5 ms. If it searched five times as many at every fifth page, this page would take 6 to 8 ms
# more. All objects that were created later than now are searched seldom, because this takes 20 ms.
gc.collect()
gc.freeze()
gc.set_threshold(2_000, 10, 50)
