"""Join kernels that were renamed or moved, as a maintainer confirmed."""

from django.core.exceptions import ValidationError
from django.db import transaction

from ingest.models import Application, Kernel
from modeling.models import KernelAlias
from modeling.selectors.versions.aliases import aliases_of
from modeling.services.changes.comparisons import comparisons_of_kernels_renew
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User


@transaction.atomic
def kernel_join(*, kernel: Kernel, becomes: Kernel, user: User) -> KernelAlias:
    """Join a kernel with its continuation under a new path. A second call changes nothing.

    Raises:
        ValidationError: the kernels are of different applications, identical, or joined in the other
            direction.
    """
    application = Application.objects.select_for_update().get(pk=kernel.application_id)
    if becomes.application_id != application.pk:
        raise ValidationError("The two kernels belong to different applications.")
    if aliases_of(application.pk).get(becomes.pk, becomes.pk) == kernel.pk:
        raise ValidationError(f"{becomes.path} already continues as {kernel.path}; separate the two first.")
    alias, made = KernelAlias.objects.get_or_create(
        kernel=kernel, defaults={"application": application, "becomes": becomes, "user": user}
    )
    if not made and alias.becomes_id != becomes.pk:
        raise ValidationError(
            f"{kernel.path} already continues as {alias.becomes.path}; separate them first."
        )
    if made:
        _changed(alias, "kernel.join", user)
    return alias


@transaction.atomic
def kernel_separate(*, alias: KernelAlias, user: User) -> None:
    """Separate two joined kernels."""
    _changed(alias, "kernel.separate", user)
    alias.delete()


def _changed(alias: KernelAlias, action: str, user: User) -> None:
    """Record the action, and repeat the comparisons of the kernels' campaigns."""
    application = alias.application
    subject = f"{application.slug}: {alias.kernel.path} → {alias.becomes.path}"
    audit_record(project=application.project, action=action, subject=subject, user=user)
    comparisons_of_kernels_renew(alias.kernel_id, alias.becomes_id)
