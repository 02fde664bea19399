"""Forms for notifications about changes."""

from django import forms

from perfweb.notices.addresses import leads_inside
from perfweb.notices.models import Subscription


class SubscriptionForm(forms.Form):
    """The form of the user's own e-mail about a project."""

    pace = forms.ChoiceField(
        label="E-mail", choices=[("", "none"), *Subscription.Pace.choices], required=False
    )
    address = forms.EmailField(required=False, label="To", help_text="Needed if you choose e-mail.")
    improvements = forms.BooleanField(required=False, label="Improvements, too")

    def clean(self) -> dict[str, object]:
        """Check that there is an address if mails are requested."""
        given: dict[str, object] = self.cleaned_data
        if given.get("pace") and not given.get("address") and "address" not in self.errors:
            self.add_error("address", "Say where mails go.")
        return given


class WebhookForm(forms.Form):
    """The form of a new webhook."""

    url = forms.URLField(
        label="Address", max_length=500, assume_scheme="https",
        help_text="It gets a signed POST with JSON when changes open or seem to be fixed.",
    )  # fmt: skip
    improvements = forms.BooleanField(required=False, label="Improvements, too")

    def clean_url(self) -> str:
        """Check that the address is one of the web, outside of the portal's network unless allowed."""
        url: str = self.cleaned_data["url"]
        if not url.startswith(("https://", "http://")):
            raise forms.ValidationError("Expected https:// or http://.")
        if leads_inside(url):
            raise forms.ValidationError(
                "This address is in the portal's own network. Webhooks only lead there if the operator "
                "allows it (PERFWEB_WEBHOOKS_PRIVATE)."
            )
        return url
