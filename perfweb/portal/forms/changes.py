"""What people fill in about alerts and silences; the rules are those of `modeling.services.alerts`."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from ingest.fields.names import text_visible
from ingest.models import Metric
from modeling.models import Alert
from perfweb.accounts.models import User

NOBODY = "-"
DAY = forms.DateInput(attrs={"type": "date"})


class BulkForm(forms.Form):
    """A step for many alerts; what is left empty stays as it is."""

    state = forms.ChoiceField(choices=[("", ""), *Alert.State.choices], required=False)
    assignee = forms.CharField(required=False, max_length=150)
    due = forms.DateField(required=False)

    def changes(self, reader: User) -> dict[str, Any]:
        """What is to be set, by field."""
        given = {name: value for name, value in self.cleaned_data.items() if value}
        if "assignee" in given:
            given["assignee"] = self._assignee(reader)
        return given

    def clean_assignee(self) -> str:
        """A name that somebody has."""
        name: str = self.cleaned_data["assignee"]
        known = name in ("", NOBODY, "me") or User.objects.filter(username=name, is_active=True).exists()
        if not known:
            raise forms.ValidationError(f"Nobody signs in as “{name}” here.")
        return name

    def _assignee(self, reader: User) -> User | None:
        name = self.cleaned_data["assignee"]
        if name == "me":
            return reader
        return None if name == NOBODY else User.objects.get(username=name)


class ChangeForm(forms.Form):
    """All that triage says about one alert."""

    state = forms.ChoiceField(choices=Alert.State.choices)
    assignee = forms.ModelChoiceField(User.objects.none(), required=False, empty_label="nobody")
    due = forms.DateField(required=False, widget=DAY)
    issue_url = forms.URLField(
        label="Issue", required=False, max_length=500, assume_scheme="https",
        help_text="Address of the tracker's entry.",
    )  # fmt: skip
    note = forms.CharField(required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, alert: Alert, members: Iterable[User], data: Any = None) -> None:
        names = ("state", "assignee", "due", "issue_url", "note")
        super().__init__(data, initial={name: getattr(alert, name) for name in names})
        field = self.fields["assignee"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 -- declared above
        field.queryset = User.objects.filter(pk__in=[member.pk for member in members]).order_by("username")


class SilenceForm(forms.Form):
    """A new silence."""

    LASTS = (("7", "a week"), ("30", "30 days"), ("90", "90 days"), ("365", "a year"))

    pattern = forms.CharField(
        required=False, max_length=200, validators=[text_visible],
        help_text="Of call paths or functions: * stands for anything, as in *->MPI_* or halo_exchange.",
    )  # fmt: skip
    metric = forms.ModelChoiceField(Metric.objects.none(), required=False, empty_label="all metrics")
    reason = forms.CharField(max_length=300, validators=[text_visible])
    lasts = forms.ChoiceField(label="For", choices=LASTS, initial="30")

    def __init__(self, metrics: Any, data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        field = self.fields["metric"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 -- declared above
        field.queryset = metrics

    def until(self) -> datetime:
        """When it ends."""
        return timezone.now() + timedelta(days=int(self.cleaned_data["lasts"]))
