"""Authentication by bearer tokens: scripts send `Authorization: Bearer pfw_…`.

`perfweb/accounts/tokens.py` decides whether a token is valid, and `access.py` what it permits.
"""

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from perfweb.accounts.models import ApiToken, User
from perfweb.accounts.tokens import TokenError, token_authenticate


class TokenAuthentication(BaseAuthentication):
    """Authenticates as the token's user; the token itself is in `request.auth`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Leave requests without a bearer token to the session; refuse an invalid token."""
        scheme, _, plaintext = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        try:
            token = token_authenticate(plaintext.strip())
        except TokenError as refused:
            raise AuthenticationFailed(str(refused)) from refused
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return the value of the header `WWW-Authenticate` of a 401."""
        return 'Bearer realm="perfweb"'
