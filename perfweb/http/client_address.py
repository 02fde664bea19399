"""The network address of whoever sent a request."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address from which a request comes, for limits that hold for each address.

    Behind a proxy all requests come from the proxy, so that one guesser of passwords would use up the limit
    of everybody. If the operator says that the proxy appends its client to X-Forwarded-For, the last address
    in this header counts. Anybody may write the ones before it.
    """
    if settings.PROXY_NAMES_CLIENT:
        last = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        try:
            return str(ip_address(last))
        except ValueError:  # the header is missing: the proxy is not what the operator says
            pass
    address: str = request.META.get("REMOTE_ADDR", "")
    return address
