"""Changes users, projects and their members; invalid changes raise ValidationError."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import Membership, Project, Role, User
from perfweb.accounts.permissions import role_require
from perfweb.accounts.selectors import role_of


def user_create(*, username: str, password: str) -> User:
    """Create a user who may sign in.

    Raises:
        ValidationError: the name or the password is refused, by field.
    """
    user = User(username=username)
    user.full_clean(exclude=["password"])
    try:
        validate_password(password, user)
    except ValidationError as refused:
        raise ValidationError({"password": refused.messages}) from refused
    user.set_password(password)
    user.save()
    return user


def project_slug(name: str) -> str:
    """Return the address of a project of this name. It is empty if the name has no letter or digit."""
    return slugify(name)[:60]


@transaction.atomic
def project_create(*, name: str, owner: User, slug: str = "") -> Project:
    """Make a project with its first owner. Unless a slug is given, it is derived from the name.

    Raises:
        ValidationError: the name gives no slug, or the slug is taken.
    """
    project = Project(name=name.strip(), slug=slug or project_slug(name))
    project.clean_fields()
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError as taken:
        raise ValidationError({"slug": f"There is a project “{project.slug}” already."}) from taken
    Membership.objects.create(project=project, user=owner, role=Role.OWNER)
    audit_record(project=project, user=owner, action="project.create", subject=project)
    return project


@transaction.atomic
def membership_set(*, project: Project, user: User, role: Role, actor: User | None = None) -> Membership:
    """Give a user a role in a project, as a new member or in place of the old role.

    `actor` is the maintainer or owner who makes the change; None: the operator, from the command line. An
    actor gives and takes no role above their own.

    Raises:
        ValidationError: the project would be left without an owner.
        RoleRequired: the actor's role does not allow it.
    """
    old = _role_locked(project, user)
    _actor_check(project, actor, role, old)
    if old == Role.OWNER and role != Role.OWNER:
        _keeps_an_owner(project, user)
    membership, _ = Membership.objects.update_or_create(project=project, user=user, defaults={"role": role})
    audit_record(
        project=project,
        user=actor,
        action="membership.set",
        subject=user.username,
        role=role.label,
        before=old.label if old else None,
    )
    return membership


@transaction.atomic
def membership_remove(*, project: Project, user: User, actor: User | None = None) -> None:
    """Remove a user from a project; their tokens for it stop working at once. Every member may leave.

    Raises:
        ValidationError: the user is no member of the project, or its last owner.
        RoleRequired: the actor's role does not allow it.
    """
    old = _role_locked(project, user)
    if old is None:
        raise ValidationError(f"{user.username} is no member of {project.name}.")
    if actor != user:
        _actor_check(project, actor, old)
    if old == Role.OWNER:
        _keeps_an_owner(project, user)
    Membership.objects.filter(project=project, user=user).delete()
    audit_record(
        project=project, user=actor, action="membership.remove", subject=user.username, before=old.label
    )


def _role_locked(project: Project, user: User) -> Role | None:
    """Return the user's role, after locking the project's members against other changes."""
    Project.objects.select_for_update().get(pk=project.pk)
    return role_of(user, project)


def _keeps_an_owner(project: Project, without: User) -> None:
    if not project.memberships.filter(role=Role.OWNER).exclude(user=without).exists():
        raise ValidationError(
            f"{without.username} is the last owner of {project.name}; make somebody else an owner first."
        )


def _actor_check(project: Project, actor: User | None, *roles: Role | None) -> None:
    """Check that the actor may manage members: from maintainer upwards, and not above their own role."""
    if actor is not None:
        role_require(actor, project, max(role for role in (*roles, Role.MAINTAINER) if role is not None))
