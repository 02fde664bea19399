"""Members' subscriptions to changes, and the addresses of their feeds."""

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import F

from perfweb.accounts.models import Project, Role, User
from perfweb.accounts.permissions import role_require
from perfweb.notices.models import FeedKey, Subscription

FIRST = 1
"""Number of a member's first feed address."""

_SIGNER = Signer(salt="perfweb.notices.feed")


@transaction.atomic
def subscription_set(*, project: Project, user: User, address: str, pace: str, improvements: bool) -> None:
    """Set how soon a member is notified; an empty pace ends the subscription."""
    role_require(user, project, Role.VIEWER)
    if not pace:
        Subscription.objects.filter(project=project, user=user).delete()
        return
    Subscription.objects.update_or_create(
        project=project, user=user,
        defaults={"address": address, "pace": pace, "improvements": improvements},
    )  # fmt: skip


def feed_token(user: User) -> str:
    """Return the last part of a member's feed address, which is signed and not stored."""
    return _SIGNER.sign(f"{user.pk}.{_number(user)}").replace(":", ".")


def feed_renew(user: User) -> None:
    """Give a member's feed a new address. Earlier addresses stop working."""
    with transaction.atomic():
        FeedKey.objects.get_or_create(user=user)
        FeedKey.objects.filter(user=user).update(number=F("number") + 1)


def feed_user(token: str) -> User | None:
    """Return the user of a feed's address; None if it is invalid or was replaced."""
    pk, _, rest = token.partition(".")
    number, _, signed = rest.partition(".")
    try:
        _SIGNER.unsign(f"{pk}.{number}:{signed}")
    except BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return user if user and str(_number(user)) == number else None


def _number(user: User) -> int:
    """Return the number of the valid address; the first one needs no row."""
    key = FeedKey.objects.filter(user=user).first()
    return key.number if key else FIRST
