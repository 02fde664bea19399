"""Forms for projects, their members and tokens; the rules are those of `perfweb.accounts`."""

from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.urls import reverse_lazy
from django.utils import timezone

from ingest.fields.names import text_visible
from perfweb.accounts.models import Role, Scope, User
from perfweb.accounts.selectors import user_named
from perfweb.accounts.tokens import scopes_for


class ProjectForm(forms.Form):
    """The form of a new project."""

    name = forms.CharField(
        max_length=120,
        validators=[text_visible],
        help_text="Such as the team's: Heat Wave is at the address heat-wave.",
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "hx-get": reverse_lazy("project-address"),
                "hx-trigger": "input changed delay:200ms",
                "hx-target": "#project-address",
            }
        ),
    )
    slug = forms.SlugField(
        label="Address",
        max_length=60,
        required=False,
        help_text="Its name in addresses and commands; empty: made from the name.",
    )


class MemberForm(forms.Form):
    """The form of a user's role in a project."""

    username = forms.CharField(
        label="User", max_length=150, help_text="The name with which this person signs in here.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )  # fmt: skip
    role = forms.TypedChoiceField(
        choices=Role.choices, coerce=lambda value: Role(int(value)), initial=Role.VIEWER
    )

    def clean_username(self) -> User:
        """Return the user of that name."""
        return user_named(self.cleaned_data["username"])


class InvitationForm(forms.Form):
    """The form of an invitation by a link; a member may give no role above their own."""

    LASTS = (("1", "1 day"), ("7", "7 days"), ("30", "30 days"))

    name = forms.CharField(
        label="For", max_length=80, help_text="Who gets the link, e.g. Ada of the solver team.",
        validators=[text_visible],
    )  # fmt: skip
    role = forms.TypedChoiceField(coerce=lambda value: Role(int(value)), initial=Role.VIEWER)
    lasts = forms.TypedChoiceField(
        label="It lasts", choices=LASTS, initial="7", coerce=lambda days: timedelta(days=int(days))
    )

    def __init__(self, own: Role, data: Any = None) -> None:
        super().__init__(data, prefix="invitation")
        roles = [(role.value, role.label) for role in Role if role <= own]
        cast("forms.TypedChoiceField", self.fields["role"]).choices = roles


class AccountForm(forms.Form):
    """The form of a new account for somebody who was invited."""

    username = forms.CharField(
        max_length=150, help_text="The name you will sign in with; colleagues see it.",
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )  # fmt: skip
    password = forms.CharField(
        strip=False,
        help_text=password_validators_help_text_html(),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label="Password, once more", strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )  # fmt: skip

    def clean_again(self) -> str:
        """Return the repeated password, if it equals the first."""
        again: str = self.cleaned_data["again"]
        if again != self.cleaned_data.get("password", again):
            raise forms.ValidationError("The two passwords differ.")
        return again


class TokenForm(forms.Form):
    """The form of a new token; it offers the scopes of the user's role."""

    LASTS = (("30", "30 days"), ("90", "90 days"), ("365", "1 year"), ("0", "until it is revoked"))

    name = forms.CharField(
        max_length=80, help_text="Where it is used, e.g. nightly job on cluster-a.", validators=[text_visible]
    )
    scopes = forms.MultipleChoiceField(
        label="It may", choices=Scope.choices, initial=[Scope.UPLOAD], widget=forms.CheckboxSelectMultiple
    )
    lasts = forms.ChoiceField(label="It lasts", choices=LASTS, initial="365")

    def __init__(self, role: Role, data: Any = None) -> None:
        super().__init__(data)
        offered = scopes_for(role)
        field = self.fields["scopes"]
        field.widget.choices = [(scope.value, scope.label) for scope in offered]
        if Scope.UPLOAD not in offered:
            field.initial = offered[:1]
            field.help_text = (
                f"As a {role.label} you may read. Uploading and triage need the role contributor."
            )

    def expires(self) -> datetime | None:
        """Return the time at which the token expires; None: never."""
        days = int(self.cleaned_data["lasts"])
        return timezone.now() + timedelta(days=days) if days else None

    def chosen(self) -> list[Scope]:
        """Return the chosen scopes."""
        return [Scope(scope) for scope in self.cleaned_data["scopes"]]
