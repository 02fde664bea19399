"""Forms for reports and the links that open them."""

from django import forms

from ingest.fields.names import text_visible
from modeling.services.releases.reports import LONGEST_NOTE
from modeling.services.releases.share_links import LONGEST_NAME


class NoteForm(forms.Form):
    """The form of a new report: the author's note, and the digest of the numbers that the author saw."""

    note = forms.CharField(
        max_length=LONGEST_NOTE,
        required=False,
        help_text="What readers should know about this release; it stands above the numbers.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    seen = forms.CharField(max_length=16, widget=forms.HiddenInput)


class ShareForm(forms.Form):
    """The form of a new link, which shows one report without signing in."""

    LASTS = (("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year"))

    name = forms.CharField(
        label="For", max_length=LONGEST_NAME, help_text="Who gets it, e.g. steering committee.",
        validators=[text_visible],
    )  # fmt: skip
    lasts = forms.ChoiceField(label="It lasts", choices=LASTS, initial="30")
