"""How often somebody may ask; beyond it 429 with `Retry-After`."""

from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from perfweb.api.access import token_of


class PerCaller(SimpleRateThrottle):
    """A budget per token, or per user in a browser: one runaway script does not lock out its owner."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request; where nobody can count, it goes through: what is sent must not be lost."""
        try:
            allowed: bool = super().allow_request(request, view)
        except RedisError:
            return True
        return allowed

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """Where the caller's recent requests are kept."""
        token = token_of(request)
        caller = f"token-{token.pk}" if token else f"user-{request.user.pk}"
        return f"throttle-{self.scope}-{caller}"


class Reads(PerCaller):
    """For everything but uploads."""

    scope = "reads"
    rate = "1200/min"


class Uploads(PerCaller):
    """Far above what nightly jobs need, far below what fills a disk by accident."""

    scope = "uploads"
    rate = "120/min"
