"""Limits on the rate of requests; beyond them the answer is 429 with `Retry-After`."""

from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from perfweb.api.access import token_of


class PerCaller(SimpleRateThrottle):
    """Limits the requests of each caller, so that a script does not lock out its owner in the browser."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request, and return whether it is allowed; one that cannot be counted is allowed."""
        try:
            allowed: bool = super().allow_request(request, view)
        except RedisError:
            return True
        return allowed

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """Return the cache key for the caller's recent requests."""
        token = token_of(request)
        caller = f"token-{token.pk}" if token else f"user-{request.user.pk}"
        return f"throttle-{self.scope}-{caller}"


class Reads(PerCaller):
    """The limit for everything but uploads."""

    scope = "reads"
    rate = "1200/min"


class Uploads(PerCaller):
    """The limit for uploads: far above the needs of nightly jobs, far below what fills a disk by accident."""

    scope = "uploads"
    rate = "120/min"
