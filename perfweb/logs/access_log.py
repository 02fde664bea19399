"""Gunicorn's access log without the secrets that stand in addresses: of shared reports, feeds and badges."""

import re
from typing import Any

from gunicorn.glogging import Logger

_SECRETS = re.compile(r"(/(?:shared|feed|badge)/)[\w-]{16,}")
"""A secret, behind the part of the address that says what it opens."""


def masked(text: str) -> str:
    """An address, or a line that holds one, without its secret."""
    return _SECRETS.sub(r"\1…", text)


class AccessLog(Logger):
    """What `--logger-class` names: whoever reads the log must not be able to open what it tells of."""

    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> Any:
        """The parts of a line; the request, its path and the page that led to it hold addresses."""
        found: Any = super().atoms(resp, req, environ, request_time)
        return found | {key: masked(found[key]) for key in ("r", "U", "f") if found.get(key)}
