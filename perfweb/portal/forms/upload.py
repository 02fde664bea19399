"""The form to upload a file."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.urls import reverse_lazy

from ingest.fields.metadata import metadata_parse
from ingest.fields.names import LONGEST_NAME, slug_wrong
from ingest.fields.options import KNOWN_OPTIONS, LONGEST_OPTIONS, OPTIONS_EXAMPLE, options_parse
from ingest.formats import FORMATS
from modeling.engine import MODELERS
from perfweb.accounts.models import Project


class UploadForm(forms.Form):
    """A campaign's file and its metadata; fields have the names of the service's arguments."""

    file = forms.FileField()
    project = forms.ModelChoiceField(queryset=Project.objects.none(), to_field_name="slug", empty_label=None)
    application = forms.CharField(
        max_length=LONGEST_NAME,
        help_text="An existing or a new name. Its address is made from the name: My Solver 2 becomes "
        "my-solver-2.",
        widget=forms.TextInput(
            attrs={
                "list": "applications",
                "hx-get": reverse_lazy("application-address"),
                "hx-trigger": "input changed delay:200ms",
                "hx-target": "#application-address",
            }
        ),
    )
    version = forms.CharField(max_length=80, help_text="Its label, e.g. 1.4.2.")
    commit = forms.CharField(max_length=64, required=False)
    branch = forms.CharField(max_length=120, required=False)
    committed_at = forms.DateTimeField(
        label="Date of the commit", required=False,
        help_text="Versions are sorted by these dates; without a date, by their first upload.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )  # fmt: skip
    machine = forms.CharField(
        max_length=80, required=False, help_text="Histories and comparisons use measurements of one machine.",
        widget=forms.TextInput(attrs={"list": "machines"}),
    )  # fmt: skip
    campaign = forms.CharField(
        max_length=80, required=False,
        help_text="Uploads with the same name here become one campaign; each adds its runs.",
    )  # fmt: skip
    replaces = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)
    format = forms.ChoiceField(
        required=False,
        choices=[
            ("", "recognised from the content"),
            *((name, module.TITLE) for name, module in FORMATS.items()),
        ],
    )
    options = forms.CharField(
        label="How to read it", required=False, max_length=LONGEST_OPTIONS,
        help_text="; ".join(
            f"{FORMATS[name].TITLE}: {', '.join(known)}" for name, known in KNOWN_OPTIONS.items()
        ) + ". Other formats need none.",
        widget=forms.TextInput(attrs={"placeholder": OPTIONS_EXAMPLE, "spellcheck": "false"}),
    )  # fmt: skip
    point = forms.CharField(
        label="Point", required=False, max_length=500,
        help_text="The parameters' values, if the file does not contain them: p=64, n=100. Or a pattern that "
        "finds them in file names, also in an archive: run_p{p}_n{n}.",
        widget=forms.TextInput(attrs={"placeholder": "p=64, n=100", "spellcheck": "false"}),
    )  # fmt: skip
    modelers = forms.MultipleChoiceField(
        choices=[(name, name) for name in MODELERS], required=False, widget=forms.CheckboxSelectMultiple,
        help_text="If you choose none, those of the application's settings are used. If you choose several, "
        "pages show the models of the first one, and the others are compared with it.",
    )  # fmt: skip
    metadata = forms.CharField(
        required=False, max_length=100_000,
        help_text="A JSON object with compiler, flags, job id and so on. Comparisons of versions show "
        "entries that differ.",
        widget=forms.Textarea(
            attrs={"rows": 3, "placeholder": '{"compiler": "gcc 14"}', "spellcheck": "false"}
        ),
    )  # fmt: skip

    def __init__(self, projects: QuerySet[Project], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["project"]
        choices.queryset = projects
        if len(projects) > 1:  # with several projects, the user has to choose
            choices.empty_label = "Choose a project"

    def clean_options(self) -> dict[str, str]:
        """Parse the options, pairs of name and value."""
        return options_parse(self.cleaned_data["options"])

    def clean_metadata(self) -> dict[str, Any]:
        """Parse the metadata, a JSON object."""
        return metadata_parse(self.cleaned_data["metadata"])

    def clean_application(self) -> str:
        """Return the name, from which a slug can be made."""
        name: str = self.cleaned_data["application"]
        if wrong := slug_wrong(name):
            raise forms.ValidationError(wrong)
        return name
