"""The audit log: written by services, in the transaction of what they do."""

from perfweb.accounts.models import ApiToken, AuditEntry, Project, User


def audit_record(
    *,
    project: Project,
    action: str,
    subject: object,
    user: User | None = None,
    token: ApiToken | None = None,
    **details: str | int | float | bool | list[str] | None,
) -> AuditEntry:
    """Note who did what, e.g. action `token.create`, subject the token, details its scopes.

    A token's deeds are also those of its user.
    """
    return AuditEntry.objects.create(
        project=project,
        user=user or (token.user if token else None),
        token=token,
        action=action,
        subject=str(subject)[:200],
        details=details,
    )
