"""The audit log, which services write in the transaction of the logged change."""

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
    """Record who did what; an action of a token is recorded as an action of its user as well."""
    return AuditEntry.objects.create(
        project=project,
        user=user or (token.user if token else None),
        token=token,
        action=action,
        subject=str(subject)[:200],
        details=details,
    )
