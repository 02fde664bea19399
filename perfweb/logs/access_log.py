"""Gunicorn's access log without the secrets in addresses of invitations, shared reports, feeds and badges."""

import re
from typing import Any

from gunicorn.glogging import Logger

_SECRETS = re.compile(r"((?:/|%2F)(?:invitations|shared|feed|badge)(?:/|%2F))[\w-]{16,}")
"""Matches a secret after the part of the address that names its kind, also inside of a query."""


def masked(text: str) -> str:
    """Return an address, or a line with one, without its secret."""
    return _SECRETS.sub(r"\1…", text)


class AccessLog(Logger):
    """The class for `--logger-class`: readers of the log must not be able to open the logged addresses."""

    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> Any:
        """Return the parts of a log line, with secrets masked in all addresses."""
        found: Any = super().atoms(resp, req, environ, request_time)
        return found | {key: masked(found[key]) for key in ("r", "U", "f") if found.get(key)}
