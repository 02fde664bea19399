"""Forms for alerts and silences; the rules are those of `modeling.services.alerts`."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from ingest.fields.names import text_visible
from ingest.models import Metric
from modeling.models import Alert
from perfweb.accounts.models import User
from perfweb.accounts.selectors import user_named

NOBODY, ME = "-", "me"
DAY = forms.DateInput(attrs={"type": "date"})


class BulkForm(forms.Form):
    """The form to change many alerts; fields left empty change nothing."""

    state = forms.ChoiceField(choices=[("", ""), *Alert.State.choices], required=False)
    assignee = forms.CharField(required=False, max_length=150)
    due = forms.DateField(required=False)

    def changes(self, reader: User) -> dict[str, Any]:
        """Return the new values, by field."""
        given = {name: value for name, value in self.cleaned_data.items() if value}
        special = {ME: reader, NOBODY: None}
        if given.get("assignee") in special:
            given["assignee"] = special[given["assignee"]]
        return given

    def clean_assignee(self) -> User | str:
        """Return the user of that name."""
        name: str = self.cleaned_data["assignee"]
        return name if name in ("", NOBODY, ME) else user_named(name)


class ChangeForm(forms.Form):
    """The form of an alert; it sets only fields that differ from those that the page showed."""

    state = forms.ChoiceField(choices=Alert.State.choices, show_hidden_initial=True)
    assignee = forms.ModelChoiceField(
        User.objects.none(), required=False, empty_label="nobody", show_hidden_initial=True
    )
    due = forms.DateField(required=False, widget=DAY, show_hidden_initial=True)
    issue_url = forms.URLField(
        label="Issue", required=False, max_length=500, assume_scheme="https", show_hidden_initial=True,
        help_text="The address of the issue in your tracker.",
    )  # fmt: skip
    note = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}), show_hidden_initial=True
    )

    def __init__(self, alert: Alert, members: Iterable[User], data: Any = None) -> None:
        self.now = {name: getattr(alert, name) for name in self.base_fields}
        super().__init__(data, initial=self.now)
        field = self.fields["assignee"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 -- declared above
        members = sorted(members, key=lambda member: member.username)
        field.queryset = User.objects.filter(pk__in=[member.pk for member in members])
        # The members are known, so that showing them needs no query.
        names = [(member.pk, field.label_from_instance(member)) for member in members]
        field.widget.choices = [("", field.empty_label), *names]

    def changes(self) -> dict[str, Any]:
        """Return the changed values, by field."""
        return {name: self.cleaned_data[name] for name in self.changed_data}

    def caught_up(self) -> dict[str, Any]:
        """Return data of a form that keeps the user's changes, and has current values in all other fields."""
        data = {}
        for name, value in self.now.items():
            current = self.fields[name].prepare_value(value)
            data[self[name].html_initial_name] = current
            data[self.add_prefix(name)] = self[name].value() if name in self.changed_data else current
        return {name: "" if value is None else str(value) for name, value in data.items()}


class SilenceForm(forms.Form):
    """The form of a new silence."""

    LASTS = (("7", "a week"), ("30", "30 days"), ("90", "90 days"), ("365", "a year"))

    pattern = forms.CharField(
        required=False, max_length=200, validators=[text_visible],
        help_text="A pattern for call paths or functions, such as *->MPI_* or halo_exchange; * stands for "
        "any text.",
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
        """Return the time at which the silence ends."""
        return timezone.now() + timedelta(days=int(self.cleaned_data["lasts"]))
